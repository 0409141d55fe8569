import { costBody, echoOf } from '@/lib/endpoints/chat/completion'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import type { Output, OutputItem } from '@/lib/endpoints/chat/responses/output'
import type { ChatRun } from '@/lib/endpoints/chat/run'
import type { Receipt } from '@/lib/services/ledger/meter'

type Head = Pick<ChatWork, 'id' | 'created'>
type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed'

/** An answer that is over: whole, or cut by its bound or by the caller's credit. */
export function responseBody(
  run: ChatRun,
  work: ChatWork,
  { isCut, items }: Pick<Output, 'isCut' | 'items'>,
  receipt: Receipt | undefined,
) {
  return {
    ...responseHead(run, work, isCut ? 'incomplete' : 'completed', items),
    ...(isCut ? { incomplete_details: { reason: 'max_output_tokens' } } : {}),
    usage: responseUsage(run),
    ...(receipt ? { cost: costBody(receipt) } : {}),
    service_parameters: { ...echoOf(run, work), ...(run.webStatus ? { web_search_status: run.webStatus } : {}) },
  }
}

/** An answer that broke off after it had begun. */
export function failedResponse(
  run: ChatRun,
  work: Head,
  items: OutputItem[],
  error: { code: string; message: string },
) {
  return { ...responseHead(run, work, 'failed', items), usage: responseUsage(run), error }
}

/** What every response has, from its first event on. */
export function responseHead({ model }: ChatRun, { id, created }: Head, status: Status, output: OutputItem[]) {
  return { id, object: 'response', created_at: created, model: model.id, status, output }
}

/** Reasoning is inside the output, cached tokens are inside the input. */
function responseUsage({ counter }: ChatRun) {
  const usage = counter.usage()
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens },
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  }
}
