import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.http.StreamResponse;
import com.anthropic.errors.AnthropicServiceException;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCountTokensParams;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.anthropic.models.messages.Tool;
import com.anthropic.core.JsonValue;
import java.util.Map;

/** Runs the scenarios of Anthropic's Java client. */
public final class AnthropicJava {
  private static AnthropicClient client(Scenario.Target target) {
    return AnthropicOkHttpClient.builder().baseUrl(target.baseUrl()).apiKey(target.apiKey()).maxRetries(0).build();
  }

  private static MessageCreateParams.Builder params(Scenario.Target target, String name) {
    return MessageCreateParams.builder().model(target.model()).maxTokens(2048).addUserMessage("scenario:" + name);
  }

  private static Tool weather() {
    Tool.InputSchema.Properties properties = Tool.InputSchema.Properties.builder()
        .putAdditionalProperty("city", JsonValue.from(Map.of("type", "string")))
        .build();
    return Tool.builder().name("get_weather").inputSchema(Tool.InputSchema.builder().properties(properties).build()).build();
  }

  private static String describe(Message message) {
    String blocks = message.content().stream()
        .map(block -> block.text().map(text -> text.text())
            .or(() -> block.thinking().map(thinking -> thinking.thinking()))
            .or(() -> block.toolUse().map(call -> call.name() + call._input()))
            .orElse("?"))
        .toList()
        .toString();
    return blocks + " " + message.stopReason().orElse(null) + " " + message.stopSequence().orElse(null) + " "
        + message.usage().inputTokens() + " " + message.usage().outputTokens();
  }

  private static String stream(Scenario.Target target, MessageCreateParams params) {
    MessageAccumulator accumulator = MessageAccumulator.create();
    try (StreamResponse<RawMessageStreamEvent> events = client(target).messages().createStreaming(params)) {
      events.stream().forEach(accumulator::accumulate);
    }
    return describe(accumulator.message());
  }

  private static String failure(Scenario.Target target, String name) {
    try {
      return describe(client(target).messages().create(params(target, name).build()));
    } catch (AnthropicServiceException error) {
      return "threw " + error.getClass().getSimpleName() + " " + error.statusCode();
    }
  }

  public static void main(String[] args) throws Exception {
    Scenario scenario = new Scenario("anthropic-java", args[0], Scenario.ANTHROPIC, Scenario.MESSAGES);
    scenario.run("text", "[Hello world] end_turn", t -> describe(client(t).messages().create(params(t, "plain").build())));
    scenario.run("text, streamed", "[", t -> stream(t, params(t, "unicode").build()));
    scenario.run("tool call", "[get_weather", t -> describe(client(t).messages().create(params(t, "weather").addTool(weather()).build())));
    scenario.run("parallel tools, streamed", "[get_weather", t -> stream(t, params(t, "weathers").addTool(weather()).build()));
    scenario.run("thinking, streamed", "[Let me think., 42]",
        t -> stream(t, params(t, "think").enabledThinking(1024).build()));
    scenario.run("stop sequence", "[Before the] stop_sequence END",
        t -> describe(client(t).messages().create(params(t, "stopped").addStopSequence("END").build())));
    scenario.run("system prompt", "[{", t -> describe(client(t).messages().create(params(t, "facts").system("Be polite.").build())));
    scenario.run("count of tokens", "true", t -> String.valueOf(client(t).messages().countTokens(
        MessageCountTokensParams.builder().model(t.model()).addUserMessage("How is the weather?").build()).inputTokens() > 2));
    scenario.run("model", "model", t -> client(t).models().retrieve(t.model())._type().asStringOrThrow());
    scenario.run("error 400", "threw BadRequestException", t -> failure(t, "error400"));
    scenario.run("error 429", "threw RateLimitException", t -> failure(t, "error429"));
    scenario.run("error 529", "threw OverloadedException 529", t -> failure(t, "overloaded"));
    System.exit(0);
  }
}
