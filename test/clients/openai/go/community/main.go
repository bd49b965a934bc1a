// Runs the scenarios of github.com/sashabaranov/go-openai and prints a JSON line for each.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

var (
	model  = os.Getenv("SCENARIO_MODEL")
	client = createClient()
	ctx    = context.Background()
)

func createClient() *openai.Client {
	config := openai.DefaultConfig(os.Getenv("OPENAI_API_KEY"))
	config.BaseURL = os.Getenv("OPENAI_BASE_URL")
	return openai.NewClientWithConfig(config)
}

func request(name string) openai.ChatCompletionRequest {
	return openai.ChatCompletionRequest{
		Model:    model,
		Messages: []openai.ChatCompletionMessage{{Role: "user", Content: "scenario:" + name}},
	}
}

func tools() []openai.Tool {
	return []openai.Tool{{Type: "function", Function: &openai.FunctionDefinition{
		Name:       "get_weather",
		Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`),
	}}}
}

func check(condition bool, detail any) error {
	if condition {
		return nil
	}
	return fmt.Errorf("%v", detail)
}

func complete(r openai.ChatCompletionRequest) (openai.ChatCompletionChoice, error) {
	result, err := client.CreateChatCompletion(ctx, r)
	if err != nil {
		return openai.ChatCompletionChoice{}, err
	}
	return result.Choices[0], nil
}

func expectStatus(name string, status int) error {
	_, err := complete(request(name))
	var failure *openai.APIError
	if !errors.As(err, &failure) {
		return fmt.Errorf("no API error: %v", err)
	}
	return check(failure.HTTPStatusCode == status, failure.HTTPStatusCode)
}

func collect(r openai.ChatCompletionRequest) (text string, calls map[int]string, err error) {
	calls = map[int]string{}
	stream, err := client.CreateChatCompletionStream(ctx, r)
	if err != nil {
		return
	}
	defer stream.Close()
	for {
		chunk, failure := stream.Recv()
		if errors.Is(failure, io.EOF) {
			return
		}
		if failure != nil {
			err = failure
			return
		}
		for _, choice := range chunk.Choices {
			text += choice.Delta.Content
			for _, call := range choice.Delta.ToolCalls {
				calls[*call.Index] += call.Function.Arguments
			}
		}
	}
}

type scenario struct {
	name string
	run  func() error
}

var scenarios = []scenario{
	{"plain", func() error {
		choice, err := complete(request("plain"))
		if err != nil {
			return err
		}
		return check(choice.Message.Content == "Hello world", choice)
	}},
	{"usage", func() error {
		result, err := client.CreateChatCompletion(ctx, request("plain"))
		if err != nil {
			return err
		}
		return check(result.Usage.TotalTokens == 18, result.Usage)
	}},
	{"streaming", func() error {
		text, _, err := collect(request("unicode"))
		if err != nil {
			return err
		}
		return check(text == os.Getenv("SCENARIO_UNICODE"), text)
	}},
	{"tools", func() error {
		r := request("tools")
		r.Tools = tools()
		first, err := complete(r)
		if err != nil {
			return err
		}
		result := openai.ChatCompletionMessage{Role: "tool", ToolCallID: first.Message.ToolCalls[0].ID, Content: "sunny"}
		r.Messages = append(r.Messages, first.Message, result)
		second, err := complete(r)
		if err != nil {
			return err
		}
		return check(second.Message.Content == "It is sunny.", second)
	}},
	{"streamed tools", func() error {
		r := request("parallel")
		r.Tools = tools()
		_, calls, err := collect(r)
		if err != nil {
			return err
		}
		return check(len(calls) == 2 && calls[1] == `{"city":"Rome"}`, calls)
	}},
	{"structured output", func() error {
		r := request("structured")
		r.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: "city", Schema: json.RawMessage(`{"type":"object"}`), Strict: true,
			},
		}
		choice, err := complete(r)
		if err != nil {
			return err
		}
		var city struct{ City string }
		if err := json.Unmarshal([]byte(choice.Message.Content), &city); err != nil {
			return err
		}
		return check(city.City == "Paris", city)
	}},
	{"reasoning", func() error {
		choice, err := complete(request("reasoning"))
		if err != nil {
			return err
		}
		return check(choice.Message.ReasoningContent == "Let me think.", choice)
	}},
	{"length", func() error {
		choice, err := complete(request("length"))
		if err != nil {
			return err
		}
		return check(choice.FinishReason == openai.FinishReasonLength, choice)
	}},
	{"error 400", func() error { return expectStatus("error400", 400) }},
	{"error 404", func() error {
		r := request("plain")
		r.Model = "none"
		_, err := complete(r)
		var failure *openai.APIError
		if !errors.As(err, &failure) {
			return fmt.Errorf("no API error: %v", err)
		}
		return check(failure.HTTPStatusCode == 404, failure)
	}},
	{"error 429", func() error { return expectStatus("error429", 429) }},
	{"error 5xx", func() error { return expectStatus("error500", 503) }},
	{"embeddings", func() error {
		result, err := client.CreateEmbeddings(ctx, openai.EmbeddingRequest{
			Model: openai.EmbeddingModel(os.Getenv("SCENARIO_EMBEDDING_MODEL")), Input: []string{"a", "b"},
		})
		if err != nil {
			return err
		}
		return check(len(result.Data) == 2 && result.Data[0].Embedding[0] == 0.5, result.Data)
	}},
	{"models", func() error {
		list, err := client.ListModels(ctx)
		if err != nil {
			return err
		}
		return check(len(list.Models) > 0, list)
	}},
	{"legacy completions", func() error {
		result, err := client.CreateCompletion(ctx, openai.CompletionRequest{Model: model, Prompt: "scenario:plain"})
		if err != nil {
			return err
		}
		return check(result.Choices[0].Text == "Hello world", result)
	}},
	{"moderations", func() error {
		result, err := client.Moderations(ctx, openai.ModerationRequest{Input: "What a nice day"})
		if err != nil {
			return err
		}
		return check(!result.Results[0].Flagged, result)
	}},
}

func main() {
	for _, s := range scenarios {
		started := time.Now()
		err := s.run()
		line := map[string]any{
			"client": "go-openai", "version": os.Getenv("CLIENT_VERSION"), "scenario": s.name,
			"seconds": time.Since(started).Seconds(), "passed": err == nil,
		}
		if err != nil {
			line["detail"] = err.Error()
		}
		text, _ := json.Marshal(line)
		fmt.Println(string(text))
	}
}
