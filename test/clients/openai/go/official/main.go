// Runs the scenarios of github.com/openai/openai-go and prints a JSON line for each.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

var (
	model  = os.Getenv("SCENARIO_MODEL")
	client = openai.NewClient(option.WithMaxRetries(0))
	ctx    = context.Background()
)

func params(name string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("scenario:" + name)},
	}
}

func tools() []openai.ChatCompletionToolUnionParam {
	return []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name: "get_weather",
		Parameters: shared.FunctionParameters{
			"type":       "object",
			"properties": map[string]any{"city": map[string]string{"type": "string"}},
		},
	})}
}

func check(condition bool, detail any) error {
	if condition {
		return nil
	}
	return fmt.Errorf("%v", detail)
}

func complete(name string) (*openai.ChatCompletion, error) {
	return client.Chat.Completions.New(ctx, params(name))
}

func collect(p openai.ChatCompletionNewParams) (*openai.ChatCompletion, error) {
	p.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	stream := client.Chat.Completions.NewStreaming(ctx, p)
	accumulator := openai.ChatCompletionAccumulator{}
	for stream.Next() {
		accumulator.AddChunk(stream.Current())
	}
	return &accumulator.ChatCompletion, stream.Err()
}

func expectStatus(name string, status int) error {
	_, err := complete(name)
	var failure *openai.Error
	if !errors.As(err, &failure) {
		return fmt.Errorf("no API error: %v", err)
	}
	return check(failure.StatusCode == status, failure.StatusCode)
}

type scenario struct {
	name string
	run  func() error
}

var scenarios = []scenario{
	{"plain", func() error {
		result, err := complete("plain")
		if err != nil {
			return err
		}
		return check(result.Choices[0].Message.Content == "Hello world", result.Choices[0].Message.Content)
	}},
	{"usage", func() error {
		result, err := complete("plain")
		if err != nil {
			return err
		}
		return check(result.Usage.TotalTokens == 18 && result.Usage.PromptTokensDetails.CachedTokens == 3, result.Usage)
	}},
	{"streaming", func() error {
		result, err := collect(params("unicode"))
		if err != nil {
			return err
		}
		content := result.Choices[0].Message.Content
		return check(content == os.Getenv("SCENARIO_UNICODE") && result.Usage.TotalTokens == 18, content)
	}},
	{"tools", func() error {
		p := params("tools")
		p.Tools = tools()
		first, err := client.Chat.Completions.New(ctx, p)
		if err != nil {
			return err
		}
		message := first.Choices[0].Message
		p.Messages = append(p.Messages, message.ToParam(), openai.ToolMessage("sunny", message.ToolCalls[0].ID))
		second, err := client.Chat.Completions.New(ctx, p)
		if err != nil {
			return err
		}
		return check(second.Choices[0].Message.Content == "It is sunny.", second.Choices[0].Message.Content)
	}},
	{"streamed tools", func() error {
		p := params("parallel")
		p.Tools = tools()
		result, err := collect(p)
		if err != nil {
			return err
		}
		calls := result.Choices[0].Message.ToolCalls
		return check(len(calls) == 2 && calls[1].Function.Arguments == `{"city":"Rome"}`, calls)
	}},
	{"structured output", func() error {
		p := params("structured")
		p.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{
			OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "city", Schema: map[string]any{"type": "object"}, Strict: openai.Bool(true),
			}},
		}
		result, err := client.Chat.Completions.New(ctx, p)
		if err != nil {
			return err
		}
		var city struct{ City string }
		if err := json.Unmarshal([]byte(result.Choices[0].Message.Content), &city); err != nil {
			return err
		}
		return check(city.City == "Paris", city)
	}},
	{"several choices", func() error {
		p := params("choices")
		p.N = openai.Int(3)
		result, err := client.Chat.Completions.New(ctx, p)
		if err != nil {
			return err
		}
		return check(len(result.Choices) == 3, len(result.Choices))
	}},
	{"length", func() error {
		result, err := complete("length")
		if err != nil {
			return err
		}
		return check(result.Choices[0].FinishReason == "length", result.Choices[0].FinishReason)
	}},
	{"error 400", func() error { return expectStatus("error400", 400) }},
	{"error 429", func() error { return expectStatus("error429", 429) }},
	{"error 5xx", func() error { return expectStatus("error500", 503) }},
	{"embeddings", func() error {
		result, err := client.Embeddings.New(ctx, openai.EmbeddingNewParams{
			Model: os.Getenv("SCENARIO_EMBEDDING_MODEL"),
			Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"a", "b"}},
		})
		if err != nil {
			return err
		}
		return check(len(result.Data) == 2 && result.Data[0].Embedding[0] == 0.5, result.Data)
	}},
	{"responses", func() error {
		result, err := client.Responses.New(ctx, responses.ResponseNewParams{
			Model: model,
			Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("scenario:plain")},
		})
		if err != nil {
			return err
		}
		return check(result.OutputText() == "Hello world", result.OutputText())
	}},
	{"disconnect", func() error {
		canceled, cancel := context.WithCancel(ctx)
		stream := client.Chat.Completions.NewStreaming(canceled, params("endless"))
		stream.Next()
		cancel()
		for stream.Next() {
		}
		return check(errors.Is(stream.Err(), context.Canceled), stream.Err())
	}},
}

func main() {
	for _, s := range scenarios {
		started := time.Now()
		err := s.run()
		line := map[string]any{
			"client": "openai-go", "version": os.Getenv("CLIENT_VERSION"), "scenario": s.name,
			"seconds": time.Since(started).Seconds(), "passed": err == nil,
		}
		if err != nil {
			line["detail"] = err.Error()
		}
		text, _ := json.Marshal(line)
		fmt.Println(string(text))
	}
}
