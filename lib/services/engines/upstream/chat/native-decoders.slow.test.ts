import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChatEvent } from '@/lib/services/engines/engine'
import { AnthropicEvents } from '@/lib/services/engines/upstream/chat/anthropic/events'
import { GoogleChunks } from '@/lib/services/engines/upstream/chat/google/chunks'
import { ReplyReader } from '@/lib/services/engines/upstream/chat/reply-reader'
import { UpstreamError } from '@/lib/services/engines/upstream/failures'
import { frame, request } from '@/lib/services/engines/upstream/testing/fake-upstream'

const anthropic = {
  keys: 'type index message content_block delta usage input_tokens output_tokens error id name input text thinking signature data partial_json stop_reason content',
  words:
    'message_start content_block_start content_block_delta content_block_stop message_delta message_stop message error text tool_use thinking redacted_thinking text_delta thinking_delta signature_delta input_json_delta end_turn refusal',
  decoder: () => new AnthropicEvents('json_answer'),
}
const google = {
  keys: 'candidates content parts text thought thoughtSignature functionCall name args id finishReason index usageMetadata promptTokenCount candidatesTokenCount thoughtsTokenCount promptFeedback blockReason logprobsResult chosenCandidates topCandidates token error code',
  words: 'STOP SAFETY MALFORMED_FUNCTION_CALL MAX_TOKENS weather EqQB',
  decoder: () => new GoogleChunks({ n: 2 }),
}

test.each([
  ['Anthropic', anthropic],
  ['Google', google],
])(
  'whatever JSON a server of %s’s form sends makes events of ours or a failure of ours',
  (_, { keys, words, decoder }) => {
    const key = fc.constantFrom(...keys.split(' '))
    const leaf = fc.oneof(
      fc.constantFrom(...words.split(' ')),
      fc.integer({ min: -1, max: 3 }),
      fc.jsonValue({ maxDepth: 1 }),
    )
    const anything = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 6 }, leaf, fc.array(tie('any'), { maxLength: 3 }), tie('object')),
      object: fc.dictionary(key, tie('any'), { maxKeys: 6 }),
    })).object
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 5 }), (values) => {
        const out: ChatEvent[] = []
        const reader = new ReplyReader(request({ n: 2 }), [], decoder())
        try {
          reader.push([Buffer.from(values.map(frame).join(''))], out)
          reader.end(out)
          reader.reply.end(out)
        } catch (error) {
          expect(error).toBeInstanceOf(UpstreamError)
        }
        for (const event of out) {
          if ('choice' in event) expect([0, 1]).toContain(event.choice)
          if ('text' in event) expect(event.text).toBeTypeOf('string')
          if (event.type === 'tool-call-delta') expect(event.arguments).toBeTypeOf('string')
          if (event.type === 'usage') expect(event.cachedTokens).toBeLessThanOrEqual(event.inputTokens)
        }
      }),
      { numRuns: 2_000 },
    )
  },
)
