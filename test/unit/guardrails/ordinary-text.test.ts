import { expect, it } from "vitest";
import { defaultGuardrailPolicy } from "#shared/api/governance/guardrail-policy.ts";
import { isRedacted } from "#shared/guardrails/apply-policy.ts";
import { findSensitiveSpans } from "#shared/guardrails/sensitive-data.ts";

function redactedParts(text: string): string[] {
  const spans = findSensitiveSpans(text).filter((span) => isRedacted(defaultGuardrailPolicy, "question", span));
  return [...new Set(spans.map(({ from, to, kind }) => `${kind}: ${text.slice(from, to)}`))];
}

const code: Readonly<Record<string, readonly string[]>> = {
  Python: [
    "out = model.generate(ids, max_new_tokens=max_new_tokens, use_auth_token=args.hub_token)",
    "def load(tokenizer: transformers.PreTrainedTokenizer, tokens: List[str]) -> Optional[Token]:",
    'client = Client(api_key=settings.api_keys["main"], password=getpass.getpass())',
    "token = os.environ['GITHUB_TOKEN'] or config.get('auth', 'token_v2')",
    "trainable_token_indices = {'embed_tokens': trainable_token_indices}",
    "print(f\"time per token: {metrics['time_per_token_ms']:.6f} api_key={settings.key!r}\")",
    "secret_key: SecretStr = Field(default_factory=SecretStr.from_env2)",
  ],
  TypeScript: [
    "const maxTokens = chatModelContextWindow[gptModel];",
    "const sessionToken = result.session.sessionToken!;",
    "const token = cookies[SESSION_COOKIE_NAME_V2] ?? await adapter!.createToken?.({ id });",
    "interface Auth { accessToken: Promise<string>; clientSecret: Config.ClientSecret | undefined }",
    "this.apiKey = fields?.openAIApiKey ?? getEnvironmentVariable('OPENAI_API_KEY');",
    "const autoToken = /\\s?auto2?\\s?/i;",
    "provider({ clientId: GITHUB_ID, clientSecret: AUTH_GITHUB_SECRET_1 })",
  ],
  JavaScript: [
    'var t={token:e.token,apiKey:n.apiKey||r.config.apiKey2,password:void 0,type:"csrf-token"};',
    "module.exports={secret:process.env.SESSION_SECRET,tokenUrl:'https://auth2.example.com/oauth2/token'}",
  ],
  Go: [
    "token := auth.credentials",
    "\tAccessToken: newSession.AccessToken, BasicAuthPassword: &options.SecretSource{",
    "idToken := idTokenClaims{Issuer: issuer}",
    'password := strings.TrimSpace(viper.GetString("db2.password"))',
  ],
  Rust: [
    "Token::Literal(c) => self.push_token(Token::RecursiveZeroOrMore)?,",
    'let password = std::env::var("DB_PASSWORD").unwrap_or_default();',
    "token: Option<&'a str>, secret_key: Arc<Secret<Vec<u8>>>,",
  ],
  Java: [
    "private static final String TOKEN_ENDPOINT_V2 = Constants.TOKEN_ENDPOINT_V2;",
    'String password = System.getenv("DB_PASSWORD"); Token token = TokenType.Utf8Token;',
    `@Value("\${app.api-key}") String apiKey; // secret: [B@1b6d3586`,
  ],
  "C and C++": [
    "gss_buffer_desc input_token = GSS_C_EMPTY_BUFFER, *token_ptr = &input_token2;",
    "#define TOKEN_QUERY_SOURCE 0x00020008UL",
    'token = strtok_r(NULL, " ", &save_ptr);',
  ],
  "C#": [
    "if (reader.TokenType == JsonTokenType.StartObject2) credentials = Credentials.FromJson(json);",
    "cancellationToken: CancellationToken.None, secret: _options.Value.ClientSecret!",
  ],
  Ruby: [
    'client = Client.new(access_token: ENV.fetch("TOKEN_2", nil), password: @manage_password)',
    'url = "http://127.0.0.1/settings?api_key=#{@api_key}&page=2"',
  ],
  PHP: [
    "$accessToken = $this->getMockBuilder(AccessTokenRepositoryInterface::class)->getMock();",
    "'password' => env('DB_PASSWORD', ''), 'token' => $request->bearerToken(),",
  ],
  Elixir: [
    "plug Guardian.Plug.VerifyHeader, secret: &MyApp.Secrets.for_conn/1, token_module: Guardian.Token.Jwt2",
    "token = xconn.private[:guardian_default_token]",
  ],
  Kotlin: ['val token: AuthToken = call.request.queryParameters["token2"]!!.toAuthToken()'],
  Swift: ['let privateKey: Certificate.PrivateKey, credentials = "\\(basic.username):\\(basic.password2)"'],
  Shell: [
    `export API_KEY=$(vault kv get -field=key2 secret/app) TOKEN=\${TOKEN:-} PASSWORD_FILE=/run/secrets/db2-password`,
    'curl -u "username:password" -H "Authorization: Bearer $TOKEN2" https://example.com',
  ],
  YAML: [
    `          token: \${{ secrets.GITHUB_TOKEN }}`,
    `          key: \${{ runner.os }}-node-9f8e7d6c5b4a39281706f5e4d3c2b1a0`,
    "      secretName: dashboard-tls2\n      tokenPath: /var/run/token1",
    "  tokenizer_name_or_path: org/model-7b-chat2\n  max_tokens: 32768",
  ],
  HTML: ['<label for="password">Password: </label><input name="csrf_token" type="password2" autocomplete="off">'],
  SQL: ["GRANT ALL ON db.* TO 'app'@'10.0.0.%'; SELECT token, secret FROM api_keys WHERE token = :token_2;"],
  Terraform: ["password = random_password.db2.result\n  secret_arn = aws_secretsmanager_secret.db2.arn"],
};

const lines: Readonly<Record<string, string>> = {
  "an MD5 digest that has the form of a wallet": "348b89e97d1dae422dade22485a43e54  image.png",
  "a git commit": "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
  "a SHA-256 digest of a lock file": 'checksum = "c08c74e62047bb2de4ff487b251e4a92e24f48745648451635cec7d591162d9f"',
  "a Docker digest": "FROM node:22@sha256:4111111111110535a3c2b1d0e9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0",
  "an npm integrity with the form of a wallet":
    '"integrity": "sha512-JcjK111nNScGob5MNtsntNM1aCNUDipB/TkwZFhyDrrE47SOx/18wF2bbjgc3ZzCSKW1T5nt5EbFoAz/Vg=="',
  "a line of go.sum": "github.com/a/b v1.2.3/go.mod h1:17Y3nk5jvLVuyKBFN9vYNPvvs8xLJeCLy4x+8969atf=",
  "a UUID that contains a card number": '"id": "7c640092-1f26-48be-bea4-487511205440"',
  "a UUID of digits": "12345678-4111-4111-8111-111111111111",
  "a GUID that starts like an IBAN": '{9A19103F-16F7-4668-BE54-9A1E7A4F7556}") = "web"',
  "names of blocks": "PacketResponder 0 for block blk_397848436489409658 terminating",
  "rows of numbers": "13 36 40 44 48 52 56 60 64 100 104 108 112 116 120 124",
  "numbers in groups of four": "0001 2341 2341 2346 0005 0006",
  "a time of 14 digits": "call 20240517101530 done, mobile 20240517101530",
  "a date with a letter": "backup-20240517Z, 20240517T",
  "versions and addresses of the own machine": "version 1.2.3.4, listening on 127.0.0.1 and 0.0.0.0:8080",
  "a trace id": "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  "a picture in base64 with the form of a token":
    "iVBORw0KGgoAAAANSUhEUgAA/EAAAPwAEAAADHtJ8Nq3z30grJ9lTH6bLhKSHXAEAAADHtJ8Nq3z30grJ9lTH6bLhK+/xx",
  "the first line of a private key in prose":
    "What does -----BEGIN RSA PRIVATE KEY----- mean in a PEM file on my server?",
  "the id of a form": "https://example.com/viewform?formkey=dDViT2xzUHAwRkI3X3k5Z0lQM091OGc6MQ&ndplr=1",
  "a public key": "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
  "a public key after its name": 'public key: "HDoME2gqLJApQTOLnce4J7BZcO1yIxUSP6tdKIUBLO99E+BH3uABshRoFzId"',
  "a contract of Ethereum": "IERC20 constant TOKEN = IERC20(0x6B175474E89094C44Da98b954EedeAC495271d0F);",
  "addresses with sample passwords": "postgres://postgres:postgres@localhost/db https://user:pass@example.com",
  "an address with variables": `mysql://root:\${DB_PASSWORD_2}@db:3306 and redis://:%(secret)s@cache`,
  "an author of a package": '"author": "Ann Lee <ann@example.org> (https://example.org)"',
  "a number of routing in a log": "Using ACPI for IRQ routing\n- 1131567043 2005.11.09",
  "an account of a queue": 'account: "1234567"',
  "the placeholder of a webhook": "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
  "the words of a webhook": "https://hooks.slack.com/services/your/webhook/address-goes-here",
  "masked values": "token: ab12XXXXXXXX, password=Qw7!****, apiKey: 'f3c2-####-####-9b8c', AKIAXXXXXXXXXXXX7Q2P",
  "elided values": 'token: "eyJ0eXAi...snip...9dk2", apiKey: "Zk81…q9X2Lw", password=...A7k2Lq...',
  "times, numbers and versions after names":
    "token: 2024-05-17T10:15:30.123Z, password = 0x1F3A9C04UL, secret: 1.2.3-rc.4+build5a7",
  "a rule of a grammar": "token = 1*tchar",
  "words with accents after names":
    "'password' => 'Uzstādiet paroli', \"token\": \"Pomyślnie odwołano\", password: Hasło: {password}, password: Použijte",
  "names of files with a curve": "--private-key='ca.ed25519.pem' --client-secret=x25519.key",
  "a migration of a login": "('auth_token', '0006_googleoauth2token')",
  "an abbreviation with a digit in camel case": 'TokenIdentifier = "SsoEmail2faSessionToken"',
  "variables of shells": "curl --user _:$GITHUB_TOKEN https://example.com; curl -u me:%TOKEN% https://example.com",
  "a hashed password": 'password: "$2a$10$JoPsdyz7c9Q1bqhw1.bHrefdNlOWY0/22VQZh33X9vDEl3Du1utqe"',
  "the fingerprint of a public key": "use the following GPG key: 13BB3A34C9E380258CE43D595CB150B31F6426BC",
  "a regular expression": "const API_KEY_PATTERN = /^tr_(dev|prod)_sk_[0-9a-zA-Z]{24}$/;",
  "a login of variables in Perl": '"https://$user:$password\\@example.com", "socks://foo:bar\\@127.0.0.1"',
  "a password in words": "password: correct-horse-battery-staple",
  "places of parameters in a translation": '"WarningPasswordStored": "%1$sOstrzeżenie:%2$s"',
  "a format of keys in a name": "error('certificate key is not a PrivateKey', 'pkcs12Data')",
  "scheme and words": 'Authorization: "Bearer admin-customer-secret-value"',
};

it.each(Object.entries(code))("ordinary code in %s is not redacted", (_, snippets) => {
  for (const snippet of snippets) expect(redactedParts(snippet), snippet).toEqual([]);
});

it("ordinary code with a secret loses the secret only", () => {
  expect(
    redactedParts('connect(token=token, api_key="f3c2a1b09d8e7f6a5b4c3d2e1f0a9b8c", max_tokens=max_tokens)'),
  ).toEqual(["secret: f3c2a1b09d8e7f6a5b4c3d2e1f0a9b8c"]);
  expect(redactedParts("https://example.com/badge?token=o2KN5GrPsYw8&style=flat")).toEqual(["secret: o2KN5GrPsYw8"]);
  expect(redactedParts('{"config.ini": "API_TOKEN=pi28urk4we3bzgfhm1wf\\nBACKUP=true"}')).toEqual([
    "secret: pi28urk4we3bzgfhm1wf",
  ]);
  expect(redactedParts("![c](https://example.com/badge.svg?token=4L4GSP9IAR)](https://example.com/b2) more")).toEqual([
    "secret: 4L4GSP9IAR",
  ]);
  expect(redactedParts("**password: Hunter2!9** and __token: Hunter2!9__")).toEqual(["secret: Hunter2!9"]);
  expect(redactedParts('discordToken = "024632556138970015"')).toEqual(["secret: 024632556138970015"]);
});

it.each(Object.entries(lines))("data, logs and lock files keep %s", (_, line) => {
  expect(redactedParts(line)).toEqual([]);
});
