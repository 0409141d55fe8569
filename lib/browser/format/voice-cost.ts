import { nano, type Price, type Usd, ZERO } from '@/lib/contract/money'

const PICO_PER_NANO = 1_000n

/** What so many begun seconds, or characters, cost; the service rounds the same way. */
export function voiceCost(units: number, price: Price | undefined): Usd {
  if (!price) return ZERO
  return nano((BigInt(Math.ceil(units)) * price + PICO_PER_NANO - 1n) / PICO_PER_NANO)
}
