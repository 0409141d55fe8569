import { decimalsOf as decimalsOfMoney, formatExactMoney, formatUnitless, moneyOf } from '@/lib/browser/format/cost'

/** Writes dollars of the wire to the last digit. @example exact(0.0014) // "$0.0014" */
export const exact = (dollars: number, least?: number): string => formatExactMoney(moneyOf(dollars), least)

/** Writes DIEM of the wire to the last digit, without a currency. @example exactDiem(1.5) // "1.50" */
export const exactDiem = (diem: number, least?: number): string => formatUnitless(moneyOf(diem), 'exact', least)

/** How many decimals a column of these amounts needs, so that its points stand under each other. */
export const decimalsOf = (amounts: readonly number[]): number => decimalsOfMoney(amounts.map(moneyOf))
