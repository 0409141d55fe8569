import { sql } from 'drizzle-orm'
import { bigint, customType, timestamp } from 'drizzle-orm/pg-core'

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' })

/** Nano-dollars. Typed as bigint on both drivers; raw SQL must cast to text, since their raw types differ. */
export const money = (name: string) => bigint(name, { mode: 'bigint' })

/** As SQL, because drizzle-kit cannot write a bigint into its snapshots. */
export const NOTHING = sql`0`

export const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const CURRENCIES = ['DIEM', 'BUNDLED_CREDITS', 'USD'] as const
