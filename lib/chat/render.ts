import 'server-only'
import { streamError } from '@/lib/api/error-response'
import type { Reply } from '@/lib/api/reply'
import { createChunkWriter } from '@/lib/chat/chunks'
import { renderCompletion } from '@/lib/chat/completion'
import { deliver } from '@/lib/chat/deliver'
import type { ChatWork } from '@/lib/chat/quote'
import type { ChatRun } from '@/lib/chat/run'
import type { RequestContext } from '@/lib/kernel/request-context'
import { SSE_DONE, sseFrame } from '@/lib/kernel/sse'
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
