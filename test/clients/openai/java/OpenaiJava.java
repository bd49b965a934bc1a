import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIServiceException;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseStreamEvent;

/** Runs the scenarios of the official client for Java, which validates each reply of the API. */
public final class OpenaiJava {
  private static OpenAIClient client(Scenario.Target target) {
    return OpenAIOkHttpClient.builder().baseUrl(target.baseUrl()).apiKey(target.apiKey()).maxRetries(0).build();
  }

  /** Replies of the scripted provider are not validated: they have only the fields that clients need. */
  private static boolean isApi(Scenario.Target target) {
    return target == Scenario.API;
  }

  private static ChatCompletionCreateParams.Builder params(Scenario.Target target, String name) {
    return ChatCompletionCreateParams.builder().model(target.model()).addUserMessage("scenario:" + name);
  }

  private static String complete(Scenario.Target target, String name) {
    try {
      ChatCompletion completion = client(target).chat().completions().create(params(target, name).build());
      if (isApi(target)) completion.validate();
      ChatCompletion.Choice choice = completion.choices().get(0);
      return choice.message().content().orElse("") + " " + choice.finishReason().asString() + " "
          + completion.usage().get().totalTokens();
    } catch (OpenAIServiceException error) {
      return "status " + error.statusCode() + " " + error.code().orElse("");
    }
  }

  private static String stream(Scenario.Target target, String name) {
    ChatCompletionCreateParams params = params(target, name)
        .streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build()).build();
    StringBuilder text = new StringBuilder();
    StringBuilder calls = new StringBuilder();
    long[] tokens = {0};
    try (StreamResponse<ChatCompletionChunk> chunks = client(target).chat().completions().createStreaming(params)) {
      chunks.stream().forEach(chunk -> {
        if (isApi(target)) chunk.validate();
        chunk.usage().ifPresent(usage -> tokens[0] = usage.totalTokens());
        chunk.choices().forEach(choice -> {
          choice.delta().content().ifPresent(text::append);
          choice.delta().toolCalls().ifPresent(deltas -> deltas.forEach(delta ->
              calls.append(delta.function().flatMap(function -> function.arguments()).orElse(""))));
        });
      });
      return text + " " + calls + " " + tokens[0];
    } catch (RuntimeException error) {
      return Scenario.failed(text);
    }
  }

  private static String respond(String name) {
    ResponseCreateParams params =
        ResponseCreateParams.builder().model(Scenario.API.model()).input("scenario:" + name).build();
    return client(Scenario.API).responses().create(params).validate().output().stream()
        .flatMap(item -> item.message().stream())
        .flatMap(message -> message.content().stream())
        .map(content -> content.asOutputText().text())
        .findFirst().orElse("");
  }

  private static String streamResponse(String name) {
    ResponseCreateParams params =
        ResponseCreateParams.builder().model(Scenario.API.model()).input("scenario:" + name).build();
    StringBuilder text = new StringBuilder();
    try (StreamResponse<ResponseStreamEvent> events = client(Scenario.API).responses().createStreaming(params)) {
      events.stream().forEach(event -> event.validate().outputTextDelta().ifPresent(delta -> text.append(delta.delta())));
    }
    return text.toString();
  }

  public static void main(String[] args) throws Exception {
    Scenario scenario = new Scenario("openai-java", args[0]);
    scenario.run("plain", "Hello world stop 18", target -> complete(target, "plain"));
    scenario.run("length", "Cut length", target -> complete(target, "length"));
    scenario.run("error 400", "status 400 invalid_schema", target -> complete(target, "error400"));
    scenario.run("error 429", "status 429 rate_limit_exceeded", target -> complete(target, "error429"));
    scenario.run("overflow", "status 400 context_length_exceeded", target -> complete(target, "overflow"));
    scenario.run("streaming usage", "Hello world  18", target -> stream(target, "plain"));
    scenario.run("unicode", System.getenv("SCENARIO_UNICODE"), target -> stream(target, "unicode"));
    scenario.run("streamed tools", " {\"city\":\"Paris\"}{\"city\":\"Rome\"}", target -> stream(target, "parallel"));
    scenario.run("broken stream", "Half of failed", target -> stream(target, "broken"));
    // The scripted provider has no Responses API, so that these calls are made through the API only.
    scenario.run("responses", "Hello world", target -> respond("plain"));
    scenario.run("streamed responses", "Hello world", target -> streamResponse("plain"));
    scenario.run("reasoning items", "42", target -> streamResponse("reasoning"));
    System.exit(0);
  }
}
