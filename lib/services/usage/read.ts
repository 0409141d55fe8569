import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { getDb } from '@/lib/db/client'

const CANCELED = '57014'

export const LINES = `
  case when u.lines = '[]'::jsonb then (
    select jsonb_build_array(jsonb_build_object('sku', coalesce(u.model_id, 'request'), 'units', 1,
      'price', (-e.amount * 1000)::text, 'amount', (-e.amount)::text))
    from entry e where e.txn_id = u.txn_id and e.leg = 1
  ) else u.lines end`

/**
 * Runs one statement of a report.
 * @throws ApiError REQUEST_TIMEOUT (504) when it reads more than there is time for.
 */
export async function readReport<Row>(text: string, parameters: unknown[]): Promise<Row[]> {
  const { query } = await getDb()
  try {
    return await query<Row>(text, parameters)
  } catch (cause) {
    if ((cause as { code?: unknown } | undefined)?.code !== CANCELED) throw cause
    throw tooMuch(cause)
  }
}

export const tooMuch = (cause?: unknown): ApiError =>
  new ApiError('REQUEST_TIMEOUT', 'There is too much usage in this range to read at once. Ask for a shorter one.', {
    cause,
  })
