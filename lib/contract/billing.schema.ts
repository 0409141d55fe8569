import { z } from 'zod'
import { DAY_MS, type Days, lastDays } from '@/lib/contract/days'

/** Source: API contract, billing.md. */
const MAX_DAYS = 90
const DEFAULT_DAYS = 7
const MAX_TIME_CHARACTERS = 40
const MAX_CURSOR_CHARACTERS = 512

const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))

/** A UTC time; one before 1970 is cut to it, since the ledger has nothing earlier. */
const moment = (options: { offset: boolean }) =>
  z.iso
    .datetime(options)
    .max(MAX_TIME_CHARACTERS)
    .transform((text) => new Date(Math.max(0, Date.parse(text))).toISOString())

const isOrdered = ({ start, end }: { start?: string; end?: string }) => !start || !end || start < end

export const UsageQuery = z
  .object({
    currency: z
      .enum(['USD', 'VCU', 'DIEM', 'BUNDLED_CREDITS'])
      .optional()
      .meta({ description: 'Only what was paid in it.' }),
    startDate: moment({ offset: true }).optional().meta({ description: 'From this time on.' }),
    endDate: moment({ offset: true }).optional().meta({ description: 'Before this time.' }),
    limit: whole(1, 500).default(200).meta({ description: 'Rows of a page.' }),
    page: whole(1, 999_999_999).default(1).meta({ description: 'The page, from 1.' }),
    sortOrder: z.enum(['asc', 'desc']).default('desc').meta({ description: 'The direction.' }),
  })
  .refine(({ startDate, endDate }) => isOrdered({ start: startDate, end: endDate }), {
    path: ['endDate'],
    error: 'must be after startDate',
  })

const Filters = {
  currency: z.enum(['USD', 'DIEM', 'BUNDLED_CREDITS']).optional().meta({ description: 'Only what was paid in it.' }),
  startTimestamp: moment({ offset: false })
    .optional()
    .meta({ description: 'From this UTC time on, `2026-07-01T00:00:00Z`.' }),
  endTimestamp: moment({ offset: false }).optional().meta({ description: 'Before this UTC time.' }),
  pageSize: whole(10, 1_000).default(1_000).meta({ description: 'Rows of a page.' }),
}

/** Query of the first page of `GET /billing/usage-history`. Closed. */
export const HistoryQuery = z
  .strictObject(Filters)
  .refine(({ startTimestamp, endTimestamp }) => isOrdered({ start: startTimestamp, end: endTimestamp }), {
    path: ['endTimestamp'],
    error: 'must be after startTimestamp',
  })

/** Query of its further pages: the cursor and nothing else. */
export const HistoryCursorQuery = z.strictObject({
  cursor: z
    .string()
    .max(MAX_CURSOR_CHARACTERS)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be a cursor that an earlier page gave')
    .meta({ description: 'Where the next page begins: `nextCursor` of the reply before. Alone, without filters.' }),
})

const day = z.iso.date()

/** Query of `GET /billing/usage-analytics`: the days and their label. Two dates win over `lookback`. */
export const AnalyticsQuery = z
  .object({
    lookback: z
      .string()
      .regex(/^[1-9]\d*d$/, 'must be a number of days such as 7d')
      .default(`${DEFAULT_DAYS}d`)
      .meta({ description: `The last days, at most ${MAX_DAYS}: \`7d\`.` }),
    startDate: day.optional().meta({ description: 'The first UTC day, in place of `lookback`.' }),
    endDate: day.optional().meta({ description: 'The last UTC day.' }),
  })
  .superRefine(({ startDate, endDate }, context) => {
    const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (startDate === undefined && endDate !== undefined) fault('startDate', 'is required with endDate')
    if (endDate === undefined && startDate !== undefined) fault('endDate', 'is required with startDate')
    if (startDate === undefined || endDate === undefined) return
    if (endDate < startDate) fault('endDate', 'must not be before startDate')
    if (Date.parse(endDate) - Date.parse(startDate) >= MAX_DAYS * DAY_MS) fault('endDate', `at most ${MAX_DAYS} days`)
  })
  .transform(({ lookback, startDate, endDate }): { days: Days; label: string } => {
    if (startDate !== undefined && endDate !== undefined) {
      return { days: { first: startDate, last: endDate }, label: `${startDate}:${endDate}` }
    }
    const count = Math.min(MAX_DAYS, Number(lookback.slice(0, -1)))
    return { days: lastDays(count), label: `${count}d` }
  })

const count = z.int().min(0)
const currency = z.enum(['DIEM', 'BUNDLED_CREDITS', 'USD'])

export const Balance = z.object({
  canConsume: z.boolean().meta({ description: 'Whether a request would be taken.' }),
  consumptionCurrency: currency.nullable().meta({ description: 'What the next request is paid in.' }),
  balances: z
    .object({
      diem: z.number().nullable().meta({ description: 'In daily credit of staked tokens.' }),
      usd: z.number().nullable().meta({ description: 'In dollars.' }),
    })
    .meta({ description: 'What the account has.' }),
  diemEpochAllocation: z.number().meta({ description: "Today's daily credit." }),
})

const UsageEntry = z.object({
  timestamp: z.iso.datetime().meta({ description: 'When.' }),
  sku: z.string().meta({ description: 'What was used.' }),
  units: z.number().meta({ description: 'How much of it; tokens by the million.' }),
  pricePerUnitUsd: z.number().meta({ description: 'The price of one, in dollars.' }),
  amount: z.number().meta({ description: 'What was taken: charges are negative. Exact to nine decimals.' }),
  currency: currency.meta({ description: 'What it was paid in.' }),
  notes: z.enum(['API Inference', 'Crypto RPC']).meta({ description: 'What it was for.' }),
  inferenceDetails: z
    .object({
      requestId: z.string().meta({ description: 'Lines of one request share it.' }),
      promptTokens: count.nullable().meta({ description: 'Tokens that the model read.' }),
      completionTokens: count.nullable().meta({ description: 'Tokens that the model wrote.' }),
      inferenceExecutionTime: z.number().nullable().meta({ description: 'Milliseconds that it took.' }),
    })
    .meta({ description: 'The request.' }),
})

export const UsagePage = z.object({
  warningMessage: z.string().meta({ description: 'What to use in place of this.' }),
  data: z.array(UsageEntry).meta({ description: 'Lines of the ledger. A request may have several.' }),
  pagination: z
    .object({
      limit: count.meta({ description: 'Rows of a page.' }),
      page: count.meta({ description: 'The page, from 1.' }),
      total: count.meta({ description: 'Rows in all.' }),
      totalPages: count.meta({ description: 'Pages in all.' }),
    })
    .meta({ description: 'Where the list stands.' }),
})

export const UsageHistory = z.object({
  data: z.array(UsageEntry).meta({ description: 'Lines of the ledger. A request may have several.' }),
  nextCursor: z.string().nullable().meta({ description: 'Where the next page begins; `null` on the last.' }),
})

const spend = {
  totalUsd: z.number().meta({ description: 'In dollars, bundled credit included.' }),
  totalDiem: z.number().meta({ description: 'In daily credit.' }),
}
/** Columns by name; `date` is in milliseconds. */
const Daily = z.array(
  z.object({ date: z.number().meta({ description: 'The day, in Unix milliseconds.' }) }).catchall(z.number()),
)

export const UsageAnalytics = z.object({
  lookback: z.string().meta({ description: 'The period.' }),
  byDate: z
    .array(
      z.object({
        date: z.iso.date().meta({ description: 'The day.' }),
        USD: z.number().meta({ description: 'In dollars, bundled credit included.' }),
        DIEM: z.number().meta({ description: 'In daily credit.' }),
      }),
    )
    .meta({ description: 'By UTC day.' }),
  byModel: z
    .array(
      z.object({
        modelName: z.string().meta({ description: 'Its name.' }),
        // The contract has the first five; JSON-RPC counts credits, and searches are counted one by one.
        unitType: z
          .enum(['tokens', 'images', 'chars', 'minutes', 'seconds', 'credits', 'requests'])
          .meta({ description: 'What is counted.' }),
        modelType: z.enum(['LLM', 'IMAGE', 'TTS', 'ASR', 'VIDEO']).nullable().meta({ description: 'Its type.' }),
        ...spend,
        totalUnits: z.number().meta({ description: 'How much was used.' }),
        breakdown: z
          .array(
            z.object({
              type: z
                .enum(['Input', 'Output', 'Cache Read', 'Cache Write'])
                .meta({ description: 'What kind of token.' }),
              usd: z.number().meta({ description: 'In dollars.' }),
              diem: z.number().meta({ description: 'In daily credit of staked tokens.' }),
              units: z.number().meta({ description: 'How many.' }),
            }),
          )
          .optional()
          .meta({ description: 'What it was spent on.' }),
      }),
    )
    .meta({ description: 'By model.' }),
  byModelDaily: Daily.meta({ description: 'By day, a column for each model.' }),
  topModels: z.array(z.string()).meta({ description: 'The models that cost most.' }),
  byKey: z
    .array(
      z.object({
        apiKeyId: z.string().nullable().meta({ description: 'The key; `null` outside of keys.' }),
        description: z.string().meta({ description: 'Its description; `Web App` for the page.' }),
        ...spend,
        totalUnits: z.number().meta({ description: 'How much was used.' }),
      }),
    )
    .meta({ description: 'By key.' }),
  byKeyDaily: Daily.meta({ description: 'By day, a column for each key.' }),
  topKeyNames: z.array(z.string()).meta({ description: 'The keys that cost most.' }),
})
export type Balance = z.output<typeof Balance>
export type UsagePage = z.output<typeof UsagePage>
export type UsageHistory = z.output<typeof UsageHistory>
export type UsageAnalytics = z.output<typeof UsageAnalytics>
