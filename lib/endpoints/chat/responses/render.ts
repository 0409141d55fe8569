import 'server-only'
import { deliver } from '@/lib/endpoints/chat/render'
import { inCallersTerms } from '@/lib/endpoints/chat/responses/conversation'
import { createEventWriter } from '@/lib/endpoints/chat/responses/events'
import { createOutput, inOrder, responseBody } from '@/lib/endpoints/chat/responses/output'
import type { ResponseWork } from '@/lib/endpoints/chat/responses/quote'
import type { ChatRun } from '@/lib/endpoints/chat/run'
import { type AnswerEvent, runChat } from '@/lib/endpoints/chat/run'
import type { RequestContext } from '@/lib/kernel/request-context'
import { SSE_DONE } from '@/lib/kernel/sse'
import type { Reply } from '@/lib/pipeline/reply'
import type { Meter } from '@/lib/services/ledger/meter'

export function renderResponse(
  run: ChatRun,
  work: ResponseWork,
  meter: Meter,
  context: RequestContext,
): Promise<Reply> {
  return deliver(run, work, meter, context, {
    whole(events, receipt) {
      const output = createOutput(run, work)
      for (const event of events) output.take(event)
      output.end()
      return responseBody(run, work, { isCut: output.isCut, items: inOrder(output.items) }, receipt)
    },
    stream() {
      const events = createEventWriter(run, work)
      return {
        write: events.write,
        end: (receipt) => events.end(receipt) + SSE_DONE,
        fail: (error) => events.fail(error) + SSE_DONE,
      }
    },
  })
}

export function runResponse(work: ResponseWork, meter: Meter, context: RequestContext, signal: AbortSignal): ChatRun {
  const run = runChat(work, meter, context, signal)
  const { batches } = run
  run.batches = produce()
  return run

  async function* produce(): AsyncGenerator<AnswerEvent[]> {
    try {
      yield* batches
    } catch (error) {
      throw inCallersTerms(error, work.places)
    }
  }
}
