/** What a request demands of the answer's form, as a grammar for the sampler. Runs in the child process. */
import { type Llama, LlamaGrammarEvaluationState, type LlamaModel } from 'node-llama-cpp'
import { type ChatRequest, type ChatTool, EngineError } from '../engine.ts'
import { type GrammarSchema, toGrammarSchema } from './json-schema.ts'

export type Constraint = {
  /** A fresh state of the grammar, one for each choice. */
  newState: () => LlamaGrammarEvaluationState
  /** The grammar ends values with blank lines and has none inside: the value is whole when one begins. */
  endMark: string
  /** The answer is a call of one of these tools. */
  tools: ChatTool[]
}

const END_MARK = '\n\n'

/** @throws EngineError `invalid-request` where the form cannot be had from this model. */
export async function constraintOf(
  request: ChatRequest,
  llama: Llama,
  model: LlamaModel,
): Promise<Constraint | undefined> {
  const tools = forcedTools(request)
  const schema = tools.length > 0 ? callOf(tools) : formatOf(request)
  if (!schema) return undefined
  if (request.logprobs) {
    throw new EngineError(
      'invalid-request',
      'This model cannot give logprobs together with response_format or a forced tool.',
    )
  }
  const grammar = await llama.createGrammarForJsonSchema(schema).catch((cause) => {
    throw new EngineError('invalid-request', 'This model cannot follow the given JSON schema.', { cause })
  })
  return { newState: () => new LlamaGrammarEvaluationState({ model, grammar }), endMark: END_MARK, tools }
}

/** Tools of which one must be called. With `auto` none: models of this size do not call tools by themselves. */
function forcedTools({ tools = [], toolChoice }: ChatRequest): ChatTool[] {
  if (toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none') return []
  const named =
    toolChoice === 'required' ? tools : tools.filter((tool) => tool.function.name === toolChoice.function.name)
  if (named.length === 0) throw new EngineError('invalid-request', 'tool_choice names no tool of this request.')
  return named
}

function callOf(tools: ChatTool[]): GrammarSchema {
  const calls = tools.map(({ function: { name, parameters } }) => ({
    type: 'object' as const,
    properties: {
      name: { const: name },
      arguments: toGrammarSchema(parameters ?? { type: 'object', additionalProperties: false }),
    },
  }))
  return (calls.length === 1 ? calls[0] : { oneOf: calls }) as GrammarSchema
}

function formatOf({ responseFormat }: ChatRequest): GrammarSchema | undefined {
  if (responseFormat?.type === 'json_object') return toGrammarSchema({ type: 'object' })
  if (responseFormat?.type === 'json_schema') return toGrammarSchema(responseFormat.json_schema.schema)
  return undefined
}
