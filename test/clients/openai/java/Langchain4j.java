import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs the scenarios of LangChain4j. */
public final class Langchain4j {
  private static ChatRequest request(String name) {
    ToolSpecification weather = ToolSpecification.builder()
        .name("get_weather")
        .parameters(JsonObjectSchema.builder().addStringProperty("city").build())
        .build();
    ChatRequest.Builder builder = ChatRequest.builder().messages(UserMessage.from("scenario:" + name));
    return (name.equals("tools") || name.equals("parallel") ? builder.toolSpecifications(weather) : builder).build();
  }

  private static String describe(ChatResponse response) {
    String calls = response.aiMessage().toolExecutionRequests().stream()
        .map(call -> call.name() + call.arguments())
        .toList()
        .toString();
    return response.aiMessage().text() + " " + calls + " " + response.finishReason();
  }

  private static String complete(Scenario.Target target, String name) {
    OpenAiChatModel model = OpenAiChatModel.builder()
        .baseUrl(target.baseUrl()).apiKey(target.apiKey()).modelName(target.model()).maxRetries(0).build();
    return describe(model.chat(request(name)));
  }

  private static String stream(Scenario.Target target, String name) throws Exception {
    OpenAiStreamingChatModel model = OpenAiStreamingChatModel.builder()
        .baseUrl(target.baseUrl()).apiKey(target.apiKey()).modelName(target.model()).build();
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
        outcome.complete(Scenario.failed(text));
      }
    });
    return outcome.get(60, TimeUnit.SECONDS);
  }

  public static void main(String[] args) throws Exception {
    Scenario scenario = new Scenario("LangChain4j", args[0]);
    scenario.run("plain", "Hello world [] STOP", target -> complete(target, "plain"));
    scenario.run("tools", "null [get_weather{", target -> complete(target, "tools"));
    scenario.run("length", "Cut [] LENGTH", target -> complete(target, "length"));
    // A 401 of the provider is about the key of the service, which is no fault of the client, so that it is a server error.
    for (String error : new String[] {"error400", "error404", "error429", "error500", "overflow"}) {
      scenario.run(error.replace("error", "error "), "threw ", target -> complete(target, error));
    }
    scenario.run("streaming", "Hello world | Hello world [] STOP", target -> stream(target, "plain"));
    scenario.run("unicode", System.getenv("SCENARIO_UNICODE"), target -> stream(target, "unicode"));
    scenario.run("streamed tools", " | null [get_weather{\"city\":\"Paris\"}, get_weather{\"city\":\"Rome\"}]",
        target -> stream(target, "parallel"));
    scenario.run("broken stream", "Half of failed", target -> stream(target, "broken"));
    System.exit(0);
  }
}
