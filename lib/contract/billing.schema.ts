import { z } from 'zod'
import { DAY_MS, type Days, lastDays } from '@/lib/contract/billing'

// Source for this file: API contract, billing.md.
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

// Reads a UTC time; one before 1970 becomes 1970, since the ledger has nothing earlier.
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
      .meta({ description: 'Filters by the currency of the charge.' }),
    startDate: moment({ offset: true }).optional().meta({ description: 'Start of the period, inclusive.' }),
    endDate: moment({ offset: true }).optional().meta({ description: 'End of the period, exclusive.' }),
    limit: whole(1, 500).default(200).meta({ description: 'Number of rows per page.' }),
    page: whole(1, 999_999_999).default(1).meta({ description: 'Page number, from 1.' }),
    sortOrder: z.enum(['asc', 'desc']).default('desc').meta({ description: 'Sort order.' }),
  })
  .refine(({ startDate, endDate }) => isOrdered({ start: startDate, end: endDate }), {
    path: ['endDate'],
    error: 'must be after startDate',
  })

const Filters = {
  currency: z
    .enum(['USD', 'DIEM', 'BUNDLED_CREDITS'])
    .optional()
    .meta({ description: 'Filters by the currency of the charge.' }),
  startTimestamp: moment({ offset: false })
    .optional()
    .meta({ description: 'Start of the period (UTC), inclusive: `2026-07-01T00:00:00Z`.' }),
  endTimestamp: moment({ offset: false }).optional().meta({ description: 'End of the period (UTC), exclusive.' }),
  pageSize: whole(10, 1_000).default(1_000).meta({ description: 'Number of rows per page.' }),
}

export const HistoryQuery = z
  .strictObject(Filters)
  .refine(({ startTimestamp, endTimestamp }) => isOrdered({ start: startTimestamp, end: endTimestamp }), {
    path: ['endTimestamp'],
    error: 'must be after startTimestamp',
  })

export const HistoryCursorQuery = z.strictObject({
  cursor: z
    .string()
    .max(MAX_CURSOR_CHARACTERS)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be the cursor of an earlier page')
    .meta({
      description: 'Cursor of the next page: `nextCursor` of the previous response. Send it alone, without filters.',
    }),
})

const day = z.iso.date()

export const AnalyticsQuery = z
  .object({
    lookback: z
      .string()
      .regex(/^[1-9]\d*d$/, 'must be a number of days such as 7d')
      .default(`${DEFAULT_DAYS}d`)
      .meta({ description: `Number of days to look back, up to ${MAX_DAYS}: \`7d\`.` }),
    startDate: day.optional().meta({ description: 'First day (UTC), instead of `lookback`.' }),
    endDate: day.optional().meta({ description: 'Last day (UTC).' }),
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
  canConsume: z.boolean().meta({ description: '`true` if the account can pay for a request.' }),
  consumptionCurrency: currency.nullable().meta({ description: 'Currency of the next charge.' }),
  balances: z
    .object({
      diem: z.number().nullable().meta({ description: 'Balance in DIEM, the daily credit from staked tokens.' }),
      usd: z.number().nullable().meta({ description: 'Balance in US dollars.' }),
    })
    .meta({ description: 'Balances of the account.' }),
  diemEpochAllocation: z.number().meta({ description: "Today's allocation of daily credit." }),
})

const UsageEntry = z.object({
  timestamp: z.iso.datetime().meta({ description: 'Time of the entry.' }),
  sku: z.string().meta({ description: 'Identifier of the billed item.' }),
  units: z.number().meta({ description: 'Quantity; tokens are counted in millions.' }),
  pricePerUnitUsd: z.number().meta({ description: 'Price per unit in US dollars.' }),
  amount: z.number().meta({ description: 'Amount; negative for charges. Exact to nine decimal places.' }),
  currency: currency.meta({ description: 'Currency of the amount.' }),
  notes: z.enum(['API Inference', 'Crypto RPC']).meta({ description: 'Type of the charge.' }),
  inferenceDetails: z
    .object({
      requestId: z.string().meta({ description: 'ID of the request. All entries of a request share it.' }),
      promptTokens: count.nullable().meta({ description: 'Number of tokens in the prompt.' }),
      completionTokens: count.nullable().meta({ description: 'Number of tokens in the completion.' }),
      inferenceExecutionTime: z.number().nullable().meta({ description: 'Execution time in milliseconds.' }),
    })
    .meta({ description: 'Details of the request.' }),
})

export const UsagePage = z.object({
  warningMessage: z.string().meta({ description: 'Endpoint to use instead of this one.' }),
  data: z.array(UsageEntry).meta({ description: 'Ledger entries. A request can have several.' }),
  pagination: z
    .object({
      limit: count.meta({ description: 'Number of rows per page.' }),
      page: count.meta({ description: 'Page number, from 1.' }),
      total: count.meta({ description: 'Total number of rows.' }),
      totalPages: count.meta({ description: 'Total number of pages.' }),
    })
    .meta({ description: 'Position of this page in the list.' }),
})

export const UsageHistory = z.object({
  data: z.array(UsageEntry).meta({ description: 'Ledger entries. A request can have several.' }),
  nextCursor: z.string().nullable().meta({ description: 'Cursor of the next page; `null` on the last page.' }),
})

const spend = {
  totalUsd: z.number().meta({ description: 'Total in US dollars, bundled credits included.' }),
  totalDiem: z.number().meta({ description: 'Total in DIEM.' }),
}
const Daily = z.array(
  z.object({ date: z.number().meta({ description: 'Day, in Unix milliseconds.' }) }).catchall(z.number()),
)

export const UsageAnalytics = z.object({
  lookback: z.string().meta({ description: 'Reported period.' }),
  byDate: z
    .array(
      z.object({
        date: z.iso.date().meta({ description: 'UTC date.' }),
        USD: z.number().meta({ description: 'Amount in US dollars, bundled credits included.' }),
        DIEM: z.number().meta({ description: 'Amount in DIEM.' }),
      }),
    )
    .meta({ description: 'Spending by UTC day.' }),
  byModel: z
    .array(
      z.object({
        modelName: z.string().meta({ description: 'Name of the model.' }),
        // The contract has the first five; JSON-RPC counts credits, and searches are counted one by one.
        unitType: z
          .enum(['tokens', 'images', 'chars', 'minutes', 'seconds', 'credits', 'requests'])
          .meta({ description: 'Unit of the quantity.' }),
        modelType: z
          .enum(['LLM', 'IMAGE', 'TTS', 'ASR', 'VIDEO'])
          .nullable()
          .meta({ description: 'Type of the model.' }),
        ...spend,
        totalUnits: z.number().meta({ description: 'Total quantity used.' }),
        breakdown: z
          .array(
            z.object({
              type: z.enum(['Input', 'Output', 'Cache Read', 'Cache Write']).meta({ description: 'Type of token.' }),
              usd: z.number().meta({ description: 'Balance in US dollars.' }),
              diem: z.number().meta({ description: 'Balance in DIEM, the daily credit from staked tokens.' }),
              units: z.number().meta({ description: 'Number of units.' }),
            }),
          )
          .optional()
          .meta({ description: 'Spending by type of token.' }),
      }),
    )
    .meta({ description: 'Spending by model.' }),
  byModelDaily: Daily.meta({ description: 'Daily spending, with one column per model.' }),
  topModels: z.array(z.string()).meta({ description: 'Models with the highest spending.' }),
  byKey: z
    .array(
      z.object({
        apiKeyId: z.string().nullable().meta({ description: 'ID of the key; `null` for usage without a key.' }),
        description: z.string().meta({ description: 'Description of the key; `Web App` for the web app.' }),
        ...spend,
        totalUnits: z.number().meta({ description: 'Total quantity used.' }),
      }),
    )
    .meta({ description: 'Spending by key.' }),
  byKeyDaily: Daily.meta({ description: 'Daily spending, with one column per key.' }),
  topKeyNames: z.array(z.string()).meta({ description: 'Keys with the highest spending.' }),
})
export type Balance = z.output<typeof Balance>
export type UsagePage = z.output<typeof UsagePage>
export type UsageHistory = z.output<typeof UsageHistory>
export type UsageAnalytics = z.output<typeof UsageAnalytics>
