import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.Map;

/** Runs a scenario through the API and directly against the provider, and prints a JSON line: both have the same outcome. */
final class Scenario {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Address, key and model of a call. */
  record Target(String baseUrl, String apiKey, String model) {}

  /** Call that returns its outcome as text. */
  interface Call {
    String run(Target target) throws Exception;
  }

  static final Target API = new Target(env("OPENAI_BASE_URL"), env("OPENAI_API_KEY"), env("SCENARIO_MODEL"));
  static final Target PROVIDER = new Target(env("SCENARIO_DIRECT_URL"), "sk-direct", "m");
  static final Target MESSAGES = new Target(API.baseUrl().replaceFirst("/v1$", ""), API.apiKey(), API.model());
  static final Target ANTHROPIC =
      new Target(env("SCENARIO_ANTHROPIC_URL"), env("SCENARIO_ANTHROPIC_KEY"), API.model());

  private final String client;
  private final String version;
  private final Target provider;
  private final Target api;

  Scenario(String client, String version) {
    this(client, version, PROVIDER, API);
  }

  Scenario(String client, String version, Target provider, Target api) {
    this.client = client;
    this.version = version;
    this.provider = provider;
    this.api = api;
  }

  private static String env(String name) {
    return System.getenv(name);
  }

  /** Outcome of a stream that breaks. The API holds back its last word, which could be the beginning of a secret. */
  static String failed(CharSequence text) {
    return text.toString().strip().replaceFirst(" it$", "") + " failed";
  }

  private static String outcome(Call call, Target target) {
    try {
      return call.run(target);
    } catch (Throwable error) {
      return "threw " + error.getClass().getSimpleName();
    }
  }

  /** @param expected start of the outcome */
  void run(String name, String expected, Call call) throws Exception {
    long startedAt = System.nanoTime();
    String direct = outcome(call, provider);
    String proxied = outcome(call, api);
    boolean passed = proxied.equals(direct) && proxied.startsWith(expected);
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("client", client);
    line.put("version", version);
    line.put("scenario", name);
    line.put("passed", passed);
    line.put("seconds", Math.round((System.nanoTime() - startedAt) / 1e7) / 100.0);
    if (!passed) line.put("detail", "API: " + proxied + ", provider: " + direct);
    System.out.println(JSON.writeValueAsString(line));
  }
}
