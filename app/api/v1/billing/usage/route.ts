import { UsageQuery } from '@/lib/contract/billing.schema'
import { ApiError } from '@/lib/contract/errors'
import { config } from '@/lib/kernel/config'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import { admitManager } from '@/lib/pipeline/admit'
import { parseQuery } from '@/lib/pipeline/body'
import { toApiError } from '@/lib/pipeline/error-response'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { limitRoute } from '@/lib/services/limits/limits'
import { CSV_HEAD, CSV_TYPE, csvRows, wantsCsv } from '@/lib/services/usage/csv'
import { pageUsage, renderEntry } from '@/lib/services/usage/rows'

const SUCCESSOR = '/api/v1/billing/usage-history'
const WARNING = `Deprecated. Move to ${SUCCESSOR}.`
// Source: API contract, billing.md "GET /billing/usage".
const DEPRECATED = { Deprecation: '@1783555200', Link: `<${SUCCESSOR}>; rel="successor-version"` }
const RETRY_AFTER_SECONDS = 60

// Replies and errors alike name the successor of this route.
async function list(context: RequestContext, request: Request): Promise<Reply> {
  try {
    const reply = await listOrThrow(context, request)
    return { ...reply, headers: { ...reply.headers, ...noticeHeaders() } }
  } catch (thrown) {
    const { code, message, cause, retryAfterSeconds, issues, headers, body } = toApiError(thrown, context)
    throw new ApiError(code, message, {
      cause,
      retryAfterSeconds,
      issues,
      body,
      headers: { ...headers, ...noticeHeaders() },
    })
  }
}

async function listOrThrow(context: RequestContext, request: Request): Promise<Reply> {
  assertNotRetired()
  const caller = await admitManager(context)
  await countRequest(context, caller)
  const { currency, startDate: start, endDate: end, ...pages } = parseQuery(UsageQuery, request)
  const { lines, total } = await pageUsage(caller.accountId, { currency, start, end }, pages)
  const { limit, page } = pages
  const totalPages = Math.ceil(total / limit)
  const headers = {
    'Cache-Control': 'no-store',
    Vary: 'Accept',
    'x-pagination-limit': String(limit),
    'x-pagination-page': String(page),
    'x-pagination-total': String(total),
    'x-pagination-total-pages': String(totalPages),
  }
  if (wantsCsv(context.headers)) {
    const file = { ...headers, 'Content-Disposition': 'attachment; filename=billing_usage.csv' }
    return { body: CSV_HEAD + csvRows(lines), contentType: CSV_TYPE, headers: file }
  }
  const pagination = { limit, page, total, totalPages }
  return jsonReply({ warningMessage: WARNING, data: lines.map(renderEntry), pagination }, { headers })
}

function assertNotRetired(): void {
  const sunset = config().billingUsageSunset
  if (sunset === undefined || sunset.getTime() > Date.now()) return
  throw new ApiError(
    'ENDPOINT_RETIRED',
    `This endpoint is gone. Use GET ${SUCCESSOR}: page and limit became pageSize and a cursor, startDate and endDate became startTimestamp and endTimestamp.`,
  )
}

// This limiter has headers of its own.
async function countRequest(context: RequestContext, caller: Caller): Promise<void> {
  try {
    await limitRoute(context, caller, 'billing-usage')
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'RATE_LIMIT_EXCEEDED') throw error
    const resetsAtMs = (context.facts.rateLimit?.resetRequestsAt ?? 0) * 1_000
    throw new ApiError(error.code, error.message, {
      retryAfterSeconds: error.retryAfterSeconds ?? RETRY_AFTER_SECONDS,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-resets': String(resetsAtMs) },
    })
  }
}

function noticeHeaders(): Record<string, string> {
  const sunset = config().billingUsageSunset
  return sunset === undefined ? DEPRECATED : { ...DEPRECATED, Sunset: sunset.toUTCString() }
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: list })
