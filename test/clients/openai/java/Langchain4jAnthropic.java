import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.anthropic.AnthropicChatModel;
import dev.langchain4j.model.anthropic.AnthropicStreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs the scenarios of LangChain4j's module for Anthropic. */
public final class Langchain4jAnthropic {
  private static ChatRequest request(String name) {
    ToolSpecification weather = ToolSpecification.builder()
        .name("get_weather")
        .parameters(JsonObjectSchema.builder().addStringProperty("city").build())
        .build();
    ChatRequest.Builder builder = ChatRequest.builder().messages(UserMessage.from("scenario:" + name));
    return (name.startsWith("weather") ? builder.toolSpecifications(weather) : builder).build();
  }

  private static String describe(ChatResponse response) {
    String calls = response.aiMessage().toolExecutionRequests().stream()
        .map(call -> call.name() + call.arguments())
        .toList()
        .toString();
    return response.aiMessage().text() + " " + calls + " " + response.finishReason() + " "
        + response.tokenUsage().inputTokenCount() + " " + response.tokenUsage().outputTokenCount();
  }

  private static String complete(Scenario.Target target, String name) {
    AnthropicChatModel model = AnthropicChatModel.builder()
        .baseUrl(target.baseUrl() + "/v1").apiKey(target.apiKey()).modelName(target.model()).maxRetries(0).build();
    return describe(model.chat(request(name)));
  }

  private static String stream(Scenario.Target target, String name) throws Exception {
    AnthropicStreamingChatModel model = AnthropicStreamingChatModel.builder()
        .baseUrl(target.baseUrl() + "/v1").apiKey(target.apiKey()).modelName(target.model()).build();
    CompletableFuture<String> outcome = new CompletableFuture<>();
    StringBuffer text = new StringBuffer();
    model.chat(request(name), new StreamingChatResponseHandler() {
      @Override
      public void onPartialResponse(String part) {
        text.append(part);
      }

      @Override
      public void onCompleteResponse(ChatResponse response) {
        outcome.complete(text + " | " + describe(response));
      }

      @Override
      public void onError(Throwable error) {
        outcome.complete("failed");
      }
    });
    return outcome.get(60, TimeUnit.SECONDS);
  }

  public static void main(String[] args) throws Exception {
    Scenario scenario = new Scenario("LangChain4j, Anthropic", args[0], Scenario.ANTHROPIC, Scenario.MESSAGES);
    scenario.run("text", "Hello world [] STOP", target -> complete(target, "plain"));
    scenario.run("parallel tools", "null [get_weather{", target -> complete(target, "weathers"));
    scenario.run("maximum tokens", "Cut [] LENGTH", target -> complete(target, "length"));
    for (String error : new String[] {"error400", "error429", "overloaded"}) {
      String name = error.equals("overloaded") ? "error 529" : error.replace("error", "error ");
      scenario.run(name, "threw ", target -> complete(target, error));
    }
    scenario.run("text, streamed", "Hello world | Hello world [] STOP", target -> stream(target, "plain"));
    scenario.run("unicode, streamed", System.getenv("SCENARIO_UNICODE"), target -> stream(target, "unicode"));
    scenario.run("parallel tools, streamed", " | null [get_weather{", target -> stream(target, "weathers"));
    scenario.run("error in the stream", "failed", target -> stream(target, "broken"));
    System.exit(0);
  }
}
