// Runs the scenarios of github.com/tmc/langchaingo through the API and directly against the provider: both have the same
// outcome. Prints a JSON line for each.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

type target struct{ baseURL, key, model string }

var (
	api      = target{os.Getenv("OPENAI_BASE_URL"), os.Getenv("OPENAI_API_KEY"), os.Getenv("SCENARIO_MODEL")}
	provider = target{os.Getenv("SCENARIO_DIRECT_URL"), "sk-direct", "m"}
)

var weather = []llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{
	Name:       "get_weather",
	Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`),
}}}

// Returns the outcome of a call: the streamed text, the text, the tool calls and the reason for the end.
func outcome(t target, name string, isStreamed bool) string {
	model, err := openai.New(openai.WithBaseURL(t.baseURL), openai.WithToken(t.key), openai.WithModel(t.model))
	if err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	streamed := ""
	options := []llms.CallOption{}
	if isStreamed {
		options = append(options, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			if !strings.HasPrefix(string(chunk), "[") {
				streamed += string(chunk)
			}
			return nil
		}))
	}
	if name == "tools" || name == "parallel" {
		options = append(options, llms.WithTools(weather))
	}
	messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "scenario:"+name)}
	response, err := model.GenerateContent(ctx, messages, options...)
	// The API holds back the last word of a stream that breaks, which could be the beginning of a secret.
	if err != nil {
		return strings.TrimSuffix(strings.TrimSpace(streamed), " it") + " failed"
	}
	calls := ""
	for _, call := range response.Choices[0].ToolCalls {
		calls += call.FunctionCall.Name + call.FunctionCall.Arguments
	}
	return strings.Join([]string{streamed, response.Choices[0].Content, calls, response.Choices[0].StopReason}, "|")
}

func main() {
	scenarios := []struct {
		title, name string
		isStreamed  bool
		expected    string
	}{
		{"plain", "plain", false, "|Hello world||stop"},
		{"tools", "tools", false, "||get_weather{"},
		{"length", "length", false, "|Cut||length"},
		{"streaming", "plain", true, "Hello world|Hello world||stop"},
		{"unicode", "unicode", true, os.Getenv("SCENARIO_UNICODE")},
		{"streamed tools", "parallel", true, `||get_weather{"city":"Paris"}get_weather{"city":"Rome"}|tool_calls`},
		{"broken stream", "broken", true, "Half of failed"},
		{"error 400", "error400", false, " failed"},
		{"error 429", "error429", true, " failed"},
		{"overflow", "overflow", true, " failed"},
	}
	for _, scenario := range scenarios {
		startedAt := time.Now()
		direct := outcome(provider, scenario.name, scenario.isStreamed)
		proxied := outcome(api, scenario.name, scenario.isStreamed)
		line := map[string]any{
			"client": "langchaingo", "version": os.Getenv("CLIENT_VERSION"), "scenario": scenario.title,
			"passed": proxied == direct && strings.HasPrefix(proxied, scenario.expected), "seconds": time.Since(startedAt).Seconds(),
		}
		if line["passed"] == false {
			line["detail"] = fmt.Sprintf("API: %s, provider: %s", proxied, direct)
		}
		text, _ := json.Marshal(line)
		fmt.Println(string(text))
	}
}
