import { z } from 'zod'
import { DAY_MS, type Days, lastDays } from '@/lib/contract/billing'

// Source for this file: API contract, billing.md.
const MAX_DAYS = 90
const DEFAULT_DAYS = 7
const MAX_TIME_CHARACTERS = 40
const MAX_CURSOR_CHARACTERS = 512

export const whole = (least: number, most: number) =>
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
      .describe('Filters by the currency of the charge.'),
    startDate: moment({ offset: true }).optional().describe('Start of the period, inclusive.'),
    endDate: moment({ offset: true }).optional().describe('End of the period, exclusive.'),
    limit: whole(1, 500).default(200).describe('Number of rows per page.'),
    page: whole(1, 999_999_999).default(1).describe('Page number, from 1.'),
    sortOrder: z.enum(['asc', 'desc']).default('desc').describe('Sort order.'),
  })
  .refine(({ startDate, endDate }) => isOrdered({ start: startDate, end: endDate }), {
    path: ['endDate'],
    error: 'must be after startDate',
  })

const Filters = {
  currency: z.enum(['USD', 'DIEM', 'BUNDLED_CREDITS']).optional().describe('Filters by the currency of the charge.'),
  startTimestamp: moment({ offset: false })
    .optional()
    .describe('Start of the period (UTC), inclusive: `2026-07-01T00:00:00Z`.'),
  endTimestamp: moment({ offset: false }).optional().describe('End of the period (UTC), exclusive.'),
  pageSize: whole(10, 1_000).default(1_000).describe('Number of rows per page.'),
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
    .describe('Cursor of the next page: `nextCursor` of the previous response. Send it alone, without filters.'),
})

const day = z.iso.date()

export const AnalyticsQuery = z
  .object({
    lookback: z
      .string()
      .regex(/^[1-9]\d*d$/, 'must be a number of days such as 7d')
      .default(`${DEFAULT_DAYS}d`)
      .describe(`Number of days to look back, up to ${MAX_DAYS}: \`7d\`.`),
    startDate: day.optional().describe('First day (UTC), instead of `lookback`.'),
    endDate: day.optional().describe('Last day (UTC).'),
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
  canConsume: z.boolean().describe('`true` if the account can pay for a request.'),
  consumptionCurrency: currency.nullable().describe('Currency of the next charge.'),
  balances: z
    .object({
      diem: z.number().nullable().describe('Balance in DIEM, the daily credit from staked tokens.'),
      usd: z.number().nullable().describe('Balance in US dollars.'),
    })
    .describe('Balances of the account.'),
  diemEpochAllocation: z.number().describe("Today's allocation of daily credit."),
})

const UsageEntry = z.object({
  timestamp: z.iso.datetime().describe('Time of the entry.'),
  sku: z.string().describe('Identifier of the billed item.'),
  units: z.number().describe('Quantity; tokens are counted in millions.'),
  pricePerUnitUsd: z.number().describe('Price per unit in US dollars.'),
  amount: z.number().describe('Amount; negative for charges. Exact to nine decimal places.'),
  currency: currency.describe('Currency of the amount.'),
  notes: z.enum(['API Inference', 'Crypto RPC']).describe('Type of the charge.'),
  inferenceDetails: z
    .object({
      requestId: z.string().describe('ID of the request. All entries of a request share it.'),
      promptTokens: count.nullable().describe('Number of tokens in the prompt.'),
      completionTokens: count.nullable().describe('Number of tokens in the completion.'),
      inferenceExecutionTime: z.number().nullable().describe('Execution time in milliseconds.'),
    })
    .describe('Details of the request.'),
})

export const UsagePage = z.object({
  warningMessage: z.string().describe('Endpoint to use instead of this one.'),
  data: z.array(UsageEntry).describe('Ledger entries. A request can have several.'),
  pagination: z
    .object({
      limit: count.describe('Number of rows per page.'),
      page: count.describe('Page number, from 1.'),
      total: count.describe('Total number of rows.'),
      totalPages: count.describe('Total number of pages.'),
    })
    .describe('Position of this page in the list.'),
})

export const UsageHistory = z.object({
  data: z.array(UsageEntry).describe('Ledger entries. A request can have several.'),
  nextCursor: z.string().nullable().describe('Cursor of the next page; `null` on the last page.'),
})

const spend = {
  totalUsd: z.number().describe('Total in US dollars, bundled credits included.'),
  totalDiem: z.number().describe('Total in DIEM.'),
}
const Daily = z.array(z.object({ date: z.number().describe('Day, in Unix milliseconds.') }).catchall(z.number()))

export const UsageAnalytics = z.object({
  lookback: z.string().describe('Reported period.'),
  byDate: z
    .array(
      z.object({
        date: z.iso.date().describe('UTC date.'),
        USD: z.number().describe('Amount in US dollars, bundled credits included.'),
        DIEM: z.number().describe('Amount in DIEM.'),
      }),
    )
    .describe('Spending by UTC day.'),
  byModel: z
    .array(
      z.object({
        modelName: z.string().describe('Name of the model.'),
        // The contract has the first five; JSON-RPC counts credits, and searches are counted one by one.
        unitType: z
          .enum(['tokens', 'images', 'chars', 'minutes', 'seconds', 'credits', 'requests'])
          .describe('Unit of the quantity.'),
        modelType: z.enum(['LLM', 'IMAGE', 'TTS', 'ASR', 'VIDEO']).nullable().describe('Type of the model.'),
        ...spend,
        totalUnits: z.number().describe('Total quantity used.'),
        breakdown: z
          .array(
            z.object({
              type: z.enum(['Input', 'Output', 'Cache Read', 'Cache Write']).describe('Type of token.'),
              usd: z.number().describe('Balance in US dollars.'),
              diem: z.number().describe('Balance in DIEM, the daily credit from staked tokens.'),
              units: z.number().describe('Number of units.'),
            }),
          )
          .optional()
          .describe('Spending by type of token.'),
      }),
    )
    .describe('Spending by model.'),
  byModelDaily: Daily.describe('Daily spending, with one column per model.'),
  topModels: z.array(z.string()).describe('Models with the highest spending.'),
  byKey: z
    .array(
      z.object({
        apiKeyId: z.string().nullable().describe('ID of the key; `null` for usage without a key.'),
        description: z.string().describe('Description of the key; `Web App` for the web app.'),
        ...spend,
        totalUnits: z.number().describe('Total quantity used.'),
      }),
    )
    .describe('Spending by key.'),
  byKeyDaily: Daily.describe('Daily spending, with one column per key.'),
  topKeyNames: z.array(z.string()).describe('Keys with the highest spending.'),
})
export type Balance = z.output<typeof Balance>
export type UsagePage = z.output<typeof UsagePage>
export type UsageHistory = z.output<typeof UsageHistory>
export type UsageAnalytics = z.output<typeof UsageAnalytics>
