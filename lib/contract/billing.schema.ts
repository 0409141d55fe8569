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

/** A moment in UTC; whatever the ledger cannot have is before it or after it. */
const moment = (options: { offset: boolean }) =>
  z.iso
    .datetime(options)
    .max(MAX_TIME_CHARACTERS)
    .transform((text) => new Date(Math.max(0, Date.parse(text))).toISOString())

const isOrdered = ({ start, end }: { start?: string; end?: string }) => !start || !end || start < end

/** `GET /billing/usage`. */
export const UsageQuery = z
  .object({
    currency: z.enum(['USD', 'VCU', 'DIEM', 'BUNDLED_CREDITS']).optional(),
    startDate: moment({ offset: true }).optional(),
    endDate: moment({ offset: true }).optional(),
    limit: whole(1, 500).default(200),
    page: whole(1, 999_999_999).default(1),
    sortOrder: z.enum(['asc', 'desc']).default('desc'),
  })
  .refine(({ startDate, endDate }) => isOrdered({ start: startDate, end: endDate }), {
    path: ['endDate'],
    error: 'must be after startDate',
  })

const Filters = {
  currency: z.enum(['USD', 'DIEM', 'BUNDLED_CREDITS']).optional(),
  startTimestamp: moment({ offset: false }).optional(),
  endTimestamp: moment({ offset: false }).optional(),
  pageSize: whole(10, 1_000).default(1_000),
}

/** `GET /billing/usage-history`, its first page: closed. */
export const HistoryQuery = z
  .strictObject(Filters)
  .refine(({ startTimestamp, endTimestamp }) => isOrdered({ start: startTimestamp, end: endTimestamp }), {
    path: ['endTimestamp'],
    error: 'must be after startTimestamp',
  })

/** Its further pages: the cursor and nothing else. */
export const HistoryCursorQuery = z.strictObject({
  cursor: z
    .string()
    .max(MAX_CURSOR_CHARACTERS)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be a cursor that an earlier page gave'),
})

const day = z.iso.date()

/** `GET /billing/usage-analytics`: the days, and what the answer calls them. Two dates win over `lookback`. */
export const AnalyticsQuery = z
  .object({
    lookback: z
      .string()
      .regex(/^[1-9]\d*d$/, 'must be a number of days such as 7d')
      .default(`${DEFAULT_DAYS}d`),
    startDate: day.optional(),
    endDate: day.optional(),
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
  canConsume: z.boolean(),
  consumptionCurrency: currency.nullable(),
  balances: z.object({ diem: z.number().nullable(), usd: z.number().nullable() }),
  diemEpochAllocation: z.number(),
})

/** A line of the ledger, as `lib/services/usage/line.ts` writes it. Source: API contract, billing.md "Ledger entry". */
const UsageEntry = z.object({
  timestamp: z.iso.datetime(),
  sku: z.string(),
  units: z.number(),
  pricePerUnitUsd: z.number(),
  amount: z.number(),
  currency,
  notes: z.enum(['API Inference', 'Crypto RPC']),
  inferenceDetails: z.object({
    requestId: z.string(),
    promptTokens: count.nullable(),
    completionTokens: count.nullable(),
    inferenceExecutionTime: z.number().nullable(),
  }),
})

export const UsagePage = z.object({
  warningMessage: z.string(),
  data: z.array(UsageEntry),
  pagination: z.object({ limit: count, page: count, total: count, totalPages: count }),
})

export const UsageHistory = z.object({ data: z.array(UsageEntry), nextCursor: z.string().nullable() })

const spend = { totalUsd: z.number(), totalDiem: z.number() }
/** The days and the names of the columns; `date` is milliseconds. */
const Daily = z.array(z.object({ date: z.number() }).catchall(z.number()))

/** As `lib/services/usage/analytics.ts` tells it. */
export const UsageAnalytics = z.object({
  lookback: z.string(),
  byDate: z.array(z.object({ date: z.iso.date(), USD: z.number(), DIEM: z.number() })),
  byModel: z.array(
    z.object({
      modelName: z.string(),
      // The contract has the first five; JSON-RPC counts credits, and searches are counted one by one.
      unitType: z.enum(['tokens', 'images', 'chars', 'minutes', 'seconds', 'credits', 'requests']),
      modelType: z.enum(['LLM', 'IMAGE', 'TTS', 'ASR', 'VIDEO']).nullable(),
      ...spend,
      totalUnits: z.number(),
      breakdown: z
        .array(
          z.object({
            type: z.enum(['Input', 'Output', 'Cache Read', 'Cache Write']),
            usd: z.number(),
            diem: z.number(),
            units: z.number(),
          }),
        )
        .optional(),
    }),
  ),
  byModelDaily: Daily,
  topModels: z.array(z.string()),
  byKey: z.array(
    z.object({ apiKeyId: z.string().nullable(), description: z.string(), ...spend, totalUnits: z.number() }),
  ),
  byKeyDaily: Daily,
  topKeyNames: z.array(z.string()),
})
