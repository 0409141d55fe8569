import 'server-only'
import { createChunkWriter } from '@/lib/endpoints/chat/chunks'
import { renderCompletion } from '@/lib/endpoints/chat/completion'
import { deliver } from '@/lib/endpoints/chat/deliver'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import type { ChatRun } from '@/lib/endpoints/chat/run'
import type { RequestContext } from '@/lib/kernel/request-context'
import { SSE_DONE, sseFrame } from '@/lib/kernel/sse'
import { streamError } from '@/lib/pipeline/error-response'
import type { Reply } from '@/lib/pipeline/reply'
import type { Meter } from '@/lib/services/ledger/meter'

/** The answer as one chat completion, or as chunks of one. Contract, chat.md 8 and 9. */
export function renderChat(run: ChatRun, work: ChatWork, meter: Meter, context: RequestContext): Promise<Reply> {
  return deliver(run, work, meter, context, {
    whole: (events, receipt) => renderCompletion(events, run, work, receipt),
    stream() {
      const chunks = createChunkWriter(work, () => run.model)
      return {
        write: chunks.write,
        end: (receipt) => `${work.includesUsage ? chunks.usage(run.counter.usage(), receipt, run) : ''}${SSE_DONE}`,
        fail: (error) => sseFrame(streamError(error)) + SSE_DONE,
      }
    },
  })
}
