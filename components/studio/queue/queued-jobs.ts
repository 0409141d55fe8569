import { formatExactMoney } from '@/lib/browser/format/cost'
import { type Generation, isUnderWay } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** What is set aside for a job that is not at its end; nothing for one that is free. */
export function heldWords(creation: Generation): string {
  const price = creation.job?.price
  return price && isUnderWay(creation) ? t('{price} on hold', { price: formatExactMoney(price) }) : ''
}
