import 'server-only'
import { inCallersTerms } from '@/lib/endpoints/chat/responses/places'
import type { ResponseWork } from '@/lib/endpoints/chat/responses/quote'
import { type AnswerEvent, type ChatRun, runChat } from '@/lib/endpoints/chat/run'
import type { RequestContext } from '@/lib/kernel/request-context'
import type { Meter } from '@/lib/services/ledger/meter'

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
