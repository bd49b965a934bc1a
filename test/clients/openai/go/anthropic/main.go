// Runs the scenarios of github.com/anthropics/anthropic-sdk-go against Anthropic's API, which a stub stands for, and through
// this service, and prints a JSON line for each: both have the same outcome.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

type target struct {
	baseURL, key string
}

var (
	ctx     = context.Background()
	model   = os.Getenv("SCENARIO_MODEL")
	direct  = target{os.Getenv("SCENARIO_ANTHROPIC_URL"), os.Getenv("SCENARIO_ANTHROPIC_KEY")}
	through = target{strings.TrimSuffix(os.Getenv("OPENAI_BASE_URL"), "/v1"), os.Getenv("OPENAI_API_KEY")}
)

func (t target) client(options ...option.RequestOption) anthropic.Client {
	common := []option.RequestOption{option.WithBaseURL(t.baseURL), option.WithAPIKey(t.key), option.WithMaxRetries(0)}
	return anthropic.NewClient(append(common, options...)...)
}

func params(name string, changes ...func(*anthropic.MessageNewParams)) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{
		Model:     anthropic.Model(model),
		MaxTokens: 2048,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("scenario:" + name))},
	}
	for _, change := range changes {
		change(&p)
	}
	return p
}

func withTools(p *anthropic.MessageNewParams) {
	schema := anthropic.ToolInputSchemaParam{Properties: map[string]any{"city": map[string]string{"type": "string"}}}
	p.Tools = []anthropic.ToolUnionParam{anthropic.ToolUnionParamOfTool(schema, "get_weather")}
}

func withThinking(p *anthropic.MessageNewParams) {
	p.Thinking = anthropic.ThinkingConfigParamOfEnabled(1024)
}

func withSystem(p *anthropic.MessageNewParams) {
	p.System = []anthropic.TextBlockParam{{Text: "Be polite."}}
	p.StopSequences = []string{"END"}
	p.ToolChoice = anthropic.ToolChoiceParamOfTool("get_weather")
}

func describe(m *anthropic.Message, err error) any {
	if err != nil {
		var failure *anthropic.Error
		if errors.As(err, &failure) {
			return []any{"error", failure.StatusCode, failure.Type(), failure.RequestID != ""}
		}
		return "error of the stream"
	}
	blocks := []any{}
	for _, block := range m.Content {
		blocks = append(blocks, []any{block.Type, block.Text, block.Thinking, block.ID, block.Name, string(block.Input)})
	}
	return []any{blocks, m.StopReason, m.StopSequence, m.Usage.InputTokens, m.Usage.OutputTokens, m.Usage.CacheReadInputTokens}
}

func create(name string, changes ...func(*anthropic.MessageNewParams)) func(target) any {
	return func(t target) any {
		client := t.client()
		return describe(client.Messages.New(ctx, params(name, changes...)))
	}
}

func stream(name string, changes ...func(*anthropic.MessageNewParams)) func(target) any {
	return func(t target) any {
		client := t.client()
		events := client.Messages.NewStreaming(ctx, params(name, changes...))
		message := anthropic.Message{}
		types := []string{}
		for events.Next() {
			event := events.Current()
			if err := message.Accumulate(event); err != nil {
				return describe(nil, err)
			}
			if event.Type != "ping" && (len(types) == 0 || types[len(types)-1] != event.Type) {
				types = append(types, event.Type)
			}
		}
		if events.Err() != nil {
			return describe(nil, events.Err())
		}
		return []any{types, describe(&message, nil)}
	}
}

func conversation(t target) any {
	client := t.client()
	first, err := client.Messages.New(ctx, params("think", withThinking, withTools))
	if err != nil {
		return describe(nil, err)
	}
	results := []anthropic.ContentBlockParamUnion{}
	for _, block := range first.Content {
		if block.Type == "tool_use" {
			results = append(results, anthropic.NewToolResultBlock(block.ID, "sunny", false))
		}
	}
	next := params("think", withThinking, withTools)
	next.Messages = append(next.Messages, first.ToParam(), anthropic.NewUserMessage(results...))
	return describe(client.Messages.New(ctx, next))
}

func image(t target) any {
	client := t.client()
	p := params("facts")
	text := anthropic.NewTextBlock("scenario:facts")
	p.Messages = []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewImageBlockBase64("image/png", "iVBORw0K"), text)}
	return describe(client.Messages.New(ctx, p))
}

func countTokens(t target) any {
	client := t.client()
	p := params("plain")
	count, err := client.Messages.CountTokens(ctx, anthropic.MessageCountTokensParams{Model: p.Model, Messages: p.Messages})
	if err != nil {
		return describe(nil, err)
	}
	return count.InputTokens > 4
}

func models(t target) any {
	client := t.client()
	found, err := client.Models.Get(ctx, model, anthropic.ModelGetParams{})
	if err != nil {
		return describe(nil, err)
	}
	return []any{found.ID, found.Type, found.CreatedAt.IsZero()}
}

func retries(t target) any {
	client := t.client(option.WithMaxRetries(2))
	return describe(client.Messages.New(ctx, params(fmt.Sprintf("retried/%d", time.Now().UnixNano()))))
}

var scenarios = []struct {
	name string
	run  func(target) any
}{
	{"text", create("plain")},
	{"text, streamed", stream("unicode")},
	{"maximum tokens", create("length")},
	{"tool call", create("weather", withTools)},
	{"parallel tools, streamed", stream("weathers", withTools)},
	{"thinking", create("think", withThinking)},
	{"thinking and tool call, streamed", stream("think", withThinking, withTools)},
	{"thinking sent back with its signature", conversation},
	{"settings", create("facts", withTools, withSystem)},
	{"image of bytes", image},
	{"count of tokens", countTokens},
	{"model", models},
	{"retries", retries},
	{"error 400", create("error400")},
	{"error 404", create("plain", func(p *anthropic.MessageNewParams) { p.Model = "claude-none" })},
	{"error 429", create("error429")},
	{"error 529", create("overloaded")},
	{"error in the stream", stream("broken")},
}

func main() {
	for _, s := range scenarios {
		started := time.Now()
		expected, _ := json.Marshal(s.run(direct))
		received, _ := json.Marshal(s.run(through))
		// Only the scenarios of errors may end with one.
		failed := strings.Contains(string(expected), "error")
		passed := string(expected) == string(received) && failed == strings.HasPrefix(s.name, "error")
		line := map[string]any{
			"client": "anthropic-sdk-go", "version": os.Getenv("CLIENT_VERSION"), "scenario": s.name,
			"seconds": time.Since(started).Seconds(), "passed": passed,
		}
		if !passed {
			line["detail"] = fmt.Sprintf("direct: %s, through: %s", expected, received)
		}
		text, _ := json.Marshal(line)
		fmt.Println(string(text))
	}
}
