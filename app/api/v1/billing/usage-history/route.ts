import { HistoryCursorQuery, HistoryQuery } from '@/lib/contract/billing.schema'
import type { RequestContext } from '@/lib/kernel/request-context'
import { admitManager } from '@/lib/pipeline/admit'
import { parseQuery } from '@/lib/pipeline/body'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { CSV_HEAD, CSV_TYPE, csvRows, wantsCsv } from '@/lib/services/usage/csv'
import { openCursor, renderEntry, sealCursor, type UsageWalk, walkUsage } from '@/lib/services/usage/rows'

async function walk(context: RequestContext, request: Request): Promise<Reply> {
  const { accountId } = await admitManager(context)
  const { filter, pageSize, after } = await walkOf(accountId, request)
  // One more than asked for says whether there are more.
  const found = await walkUsage(accountId, filter, pageSize + 1, after)
  const lines = found.slice(0, pageSize)
  const last = lines.at(-1)
  const nextCursor =
    last && found.length > pageSize ? await sealCursor({ accountId, filter, pageSize, after: last }) : null
  if (!wantsCsv(context.headers)) {
    return jsonReply({ data: lines.map(renderEntry), nextCursor }, { headers: NO_STORE })
  }
  const headers: Record<string, string> = { ...NO_STORE, 'Content-Disposition': attachment(new Date()) }
  if (nextCursor !== null) headers['x-next-cursor'] = nextCursor
  return { body: CSV_HEAD + csvRows(lines), contentType: CSV_TYPE, headers }
}

const NO_STORE = { 'Cache-Control': 'no-store', Vary: 'Accept' }

async function walkOf(
  accountId: string,
  request: Request,
): Promise<Omit<UsageWalk, 'accountId' | 'after'> & Partial<UsageWalk>> {
  if (new URL(request.url).searchParams.has('cursor')) {
    return openCursor(parseQuery(HistoryCursorQuery, request).cursor, accountId)
  }
  const { currency, startTimestamp: start, endTimestamp: end, pageSize } = parseQuery(HistoryQuery, request)
  return { filter: { currency, start, end }, pageSize }
}

// Without characters that file systems refuse.
const attachment = (now: Date): string =>
  `attachment; filename=billing-usage-history-${now.toISOString().replace(/[-:.]/g, '')}.csv`

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: walk })
