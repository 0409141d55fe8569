import { moneyOf } from '@/lib/browser/format/cost'
import type { UsageSeries, UsageSummary } from '@/lib/contract/billing'
import { usdNumber, ZERO } from '@/lib/contract/money'
import { msg, t } from '@/lib/i18n/t'

export type Sorting = keyof UsageSummary['by']

const KIND_NAMES: Readonly<Record<string, string>> = {
  chat: msg('Chat'),
  embeddings: msg('Embeddings'),
  images: msg('Images'),
  audio: msg('Audio'),
  video: msg('Video'),
  rpc: 'RPC',
  web: msg('Web search'),
  other: msg('Everything else'),
}

function titleOf(sorting: Sorting, { id, name }: Pick<UsageSeries, 'id' | 'name'>): string {
  if (sorting === 'kind') return t(KIND_NAMES[id] ?? id)
  if (sorting === 'key' && id === '') return t('Web app and wallets')
  return name === 'web-search' ? t('Web search') : name
}

export type ShownSeries = Pick<UsageSeries, 'id' | 'daily' | 'usd' | 'diem'> & { title: string; look: string }

export function chartSeries(summary: UsageSummary, sorting: Sorting): ShownSeries[] {
  const all = summary.by[sorting].map((series, index) => ({
    ...series,
    title: titleOf(sorting, series),
    look: lookOf(index),
  }))
  if (all.length <= LOOKS.length) return all
  const rest = all.slice(LOOKS.length - 1)
  return [
    ...all.slice(0, LOOKS.length - 1),
    {
      id: 'rest',
      title: t('All others'),
      look: REST_LOOK,
      usd: sum(rest.map(({ usd }) => usd)),
      diem: sum(rest.map(({ diem }) => diem)),
      daily: summary.days.map((_, day) => sum(rest.map(({ daily }) => daily[day] ?? 0))),
    },
  ]
}

/** Exact: doubles would add the nano-dollars of the wire wrongly. */
export const sum = (dollars: number[]): number =>
  usdNumber(dollars.reduce((total, part) => (total + moneyOf(part)) as typeof ZERO, ZERO))

/**
 * Eight looks that stay apart in light and in dark, each at 3:1 and more against the page; the ninth is all the rest.
 */
const LOOKS = [
  'text-[light-dark(#006e64,#50cfbd)]',
  'text-[light-dark(#3b5bb5,#8fb0ff)]',
  'text-[light-dark(#a0366e,#f28fc0)]',
  'text-[light-dark(#4f7a1c,#a8d66b)]',
  'text-[light-dark(#6b4aa8,#c0a3f5)]',
  'text-[light-dark(#b1452b,#ff9d80)]',
  'text-[light-dark(#1f7a99,#7cd3ee)]',
  'text-[light-dark(#7d6a1a,#d8c56a)]',
] as const

const REST_LOOK = 'text-[light-dark(#75787f,#93979e)]'

const lookOf = (index: number): string => LOOKS[index] ?? REST_LOOK
