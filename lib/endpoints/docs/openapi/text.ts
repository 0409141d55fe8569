import {
  ScrapeRequest,
  ScrapeResponse,
  SearchRequest,
  SearchResponse,
  TextParserFields,
  TextParserResponse,
} from '@/lib/contract/augment.schema'
import { ChatCompletion, ChatCompletionEvent, ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { EmbeddingsRequest, EmbeddingsResponse } from '@/lib/contract/embeddings.schema'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { ResponseEvent, ResponseObject, ResponsesRequest } from '@/lib/contract/responses.schema'
import { CONTEXT_OVERFLOW, MODEL_ERRORS } from '@/lib/endpoints/docs/openapi/errors'
import { type Group, jsonBody, jsonContent } from '@/lib/endpoints/docs/openapi/operation'

const MODEL = 'tiny-chat'
const ECHO = {
  enable_e2ee: false,
  enable_web_citations: false,
  enable_web_scraping: false,
  enable_web_search: 'off',
  include_service_system_prompt: true,
  include_search_results_in_stream: false,
  return_search_results_as_documents: false,
  strip_thinking_response: false,
  disable_thinking: false,
  web_search_citations: [],
}
const COST = { diem: 0, usd: 0.0000141 }
const CHAT_ERRORS = [...MODEL_ERRORS, 'context_length_exceeded', 'CHARACTER_NOT_FOUND'] as const
const overflow = { 400: [CONTEXT_OVERFLOW] }

export const CHAT: Group = {
  tag: 'Chat',
  description: 'Chat completions and responses, with streaming, tools, images, audio, files and web search.',
  operations: {
    'POST /chat/completions': {
      id: 'createChatCompletion',
      summary: 'Create a chat completion',
      description:
        'Fields that are not described here are never rejected: they are forwarded if the backend supports them. A model name can carry options: `model:enable_web_search=on`.',
      access: 'paid',
      body: jsonBody('ChatCompletionRequest', ChatCompletionRequest, {
        model: 'default',
        messages: [
          { role: 'system', content: 'Answer in one sentence.' },
          { role: 'user', content: 'What makes the tides?' },
        ],
        max_completion_tokens: 100,
      }),
      content: [
        jsonContent('ChatCompletion', ChatCompletion, {
          id: 'chatcmpl-3f1c2ab0d4e57788',
          object: 'chat.completion',
          created: 1784332800,
          model: MODEL,
          choices: [
            {
              index: 0,
              finish_reason: 'stop',
              stop_reason: 'stop',
              logprobs: null,
              message: {
                role: 'assistant',
                content: 'The pull of the moon and the sun on the turning earth makes the tides.',
                reasoning_content: null,
              },
            },
          ],
          usage: {
            prompt_tokens: 26,
            completion_tokens: 17,
            total_tokens: 43,
            prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 0 },
            completion_tokens_details: { reasoning_tokens: 0 },
          },
          cost: COST,
          service_parameters: ECHO,
        }),
        {
          kind: 'events',
          description:
            'With `"stream": true`: one chunk of the answer as JSON per `data:` line, then `data: [DONE]`. The last chunk before it has no choices and contains `usage` and `cost`. With `include_search_results_in_stream`, the first chunk has no choices either: its `service_parameters` contains the sources and the outcome of the search. An error after the first byte is sent as `{"error": {…}}`.',
          event: { name: 'ChatCompletionEvent', schema: ChatCompletionEvent },
        },
      ],
      sends: ['model', 'web', 'compressed'],
      errors: CHAT_ERRORS,
      errorSchemas: overflow,
    },
    'POST /responses': {
      id: 'createResponse',
      summary: 'Create a response',
      description: 'Alpha. Nothing is stored: `store` and `previous_response_id` have no effect.',
      access: 'paid',
      body: jsonBody('ResponsesRequest', ResponsesRequest, {
        model: 'default',
        instructions: 'Answer in one sentence.',
        input: 'What makes the tides?',
      }),
      content: [
        jsonContent('Response', ResponseObject, {
          id: 'resp_3f1c2ab0d4e57788',
          object: 'response',
          created_at: 1784332800,
          model: MODEL,
          status: 'completed',
          output: [
            {
              type: 'message',
              id: 'msg_1',
              status: 'completed',
              role: 'assistant',
              content: [{ type: 'output_text', text: 'The moon and the sun.', annotations: [] }],
            },
          ],
          usage: {
            input_tokens: 26,
            output_tokens: 7,
            total_tokens: 33,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens_details: { reasoning_tokens: 0 },
          },
          cost: COST,
          service_parameters: ECHO,
        }),
        {
          kind: 'events',
          description:
            'With `"stream": true`: events with their type in `event:`, and the same type and a rising `sequence_number` in `data:`. The last event contains the whole response.',
          event: { name: 'ResponseEvent', schema: ResponseEvent },
        },
      ],
      sends: ['model', 'web', 'compressed'],
      errors: CHAT_ERRORS,
      errorSchemas: overflow,
    },
  },
}

export const EMBEDDINGS: Group = {
  tag: 'Embeddings',
  description: 'Vector embeddings of text.',
  operations: {
    'POST /embeddings': {
      id: 'createEmbeddings',
      summary: 'Create embeddings',
      access: 'paid',
      body: jsonBody('EmbeddingsRequest', EmbeddingsRequest, {
        model: 'default',
        input: ['high water', 'low water'],
      }),
      content: [
        jsonContent('EmbeddingsResponse', EmbeddingsResponse, {
          object: 'list',
          model: 'tiny-embed',
          data: [
            { object: 'embedding', index: 0, embedding: [0.0123, -0.0456, 0.0789] },
            { object: 'embedding', index: 1, embedding: [0.0111, -0.0432, 0.0765] },
          ],
          usage: { prompt_tokens: 6, total_tokens: 6 },
        }),
      ],
      sends: ['model', 'compressed'],
      errors: MODEL_ERRORS,
    },
  },
}

export const AUGMENT: Group = {
  tag: 'Augment',
  description: 'Web search, web pages and files as text for models.',
  operations: {
    'POST /augment/search': {
      id: 'searchWeb',
      summary: 'Search the web',
      description:
        'Returns an empty list if nothing was found. `brave` is the default provider of this service; `google` is available if the operator has configured it.',
      access: 'paid',
      body: jsonBody('SearchRequest', SearchRequest, { query: 'tide tables', limit: 5 }),
      content: [
        jsonContent('SearchResponse', SearchResponse, {
          query: 'tide tables',
          results: [{ title: 'Tides', url: 'https://sea.example/tides', content: 'High water 09:12', date: '' }],
        }),
      ],
      errors: ['SEARCH_FAILED'],
    },
    'POST /augment/scrape': {
      id: 'scrapePage',
      summary: 'Scrape a web page',
      description:
        'Returns a public page as Markdown: requested from the site as Markdown first, otherwise converted. Sites that forbid automated access are rejected.',
      access: 'paid',
      body: jsonBody('ScrapeRequest', ScrapeRequest, { url: 'https://sea.example/tides' }),
      content: [
        jsonContent('ScrapeResponse', ScrapeResponse, {
          url: 'https://sea.example/tides',
          content: '# Tides\n\nHigh water 09:12',
          format: 'markdown',
        }),
      ],
      errors: ['SCRAPE_FAILED'],
    },
    'POST /augment/text-parser': {
      id: 'parseText',
      summary: 'Extract text from a document',
      description: `Returns the text of a PDF, DOCX, PPTX, XLSX, XLS, ODT, RTF, EPUB, HTML or text file of up to ${MAX_FILE_BYTES / 1e6} MB; office files and books as Markdown. The file is not stored.`,
      access: 'paid',
      body: {
        form: {
          name: 'TextParserForm',
          schema: TextParserFields,
          file: 'file',
          fileDescription: `Document of up to ${MAX_FILE_BYTES / 1e6} MB.`,
          example: { response_format: 'json' },
        },
      },
      content: [
        jsonContent('TextParserResponse', TextParserResponse, { text: 'Invoice 17 …', tokens: 4 }),
        { kind: 'text', type: 'text/plain', example: 'Invoice 17 …' },
      ],
      errors: ['REQUEST_TIMEOUT'],
    },
  },
}
