'use client'

import { useState } from 'react'
import { formatExactDollars, formatMoney, moneyOf } from '@/lib/browser/format/cost'
import type { UsageSeries, UsageSummary } from '@/lib/contract/billing'
import { usdNumber, ZERO } from '@/lib/contract/money'
import { formatDate, msg, t } from '@/lib/i18n/t'

const DAY = 10
const HEIGHT = 100
const MIN_BAR_HEIGHT = 0.6

type ChartProps = { days: string[]; series: ShownSeries[] }

export function Chart({ days, series }: ChartProps) {
  const [pointed, setPointed] = useState<number>()
  const totals = days.map((_, day) => sum(series.map(({ daily }) => daily[day] ?? 0)))
  const top = Math.max(...totals)
  const gap = days.length > 45 ? 1.5 : 2.5
  const dayAt = (event: React.PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const day = Math.floor(((event.clientX - left) / width) * days.length)
    setPointed(Math.min(days.length - 1, Math.max(0, day)))
  }
  return (
    <figure aria-label={t('Daily spending')}>
      <p aria-hidden="true" className="mb-1 flex min-h-5 justify-between gap-4 text-12 text-ink-3 tabular-nums">
        <span className="font-mono">{top > 0 && formatMoney(moneyOf(top))}</span>
        {pointed !== undefined && (
          <span className="text-ink">
            {dayText(days[pointed]!)} · <span className="font-mono">{formatExactDollars(totals[pointed] ?? 0)}</span>
          </span>
        )}
      </p>
      <div
        dir="ltr"
        className="relative border-y border-line border-t-[color-mix(in_srgb,var(--color-line)_60%,transparent)]"
      >
        <span aria-hidden="true" className="absolute inset-x-0 top-1/2 border-t border-line opacity-60" />
        <svg
          role="img"
          aria-label={chartText(days, totals)}
          viewBox={`0 0 ${days.length * DAY} ${HEIGHT}`}
          preserveAspectRatio="none"
          onPointerMove={dayAt}
          onPointerDown={dayAt}
          onPointerLeave={() => setPointed(undefined)}
          className="relative block h-44 w-full touch-pan-y md:h-56"
        >
          {days.map((day, index) => (
            <g key={day} opacity={pointed === undefined || pointed === index ? 1 : 0.45}>
              {/* Also where a day has no bar the pointer finds something. */}
              <rect x={index * DAY} y={0} width={DAY} height={HEIGHT} fill="transparent" />
              {stackOf(series, index, top).map(({ id, look, y, height }) => (
                <rect
                  key={id}
                  x={index * DAY + gap / 2}
                  y={y}
                  width={DAY - gap}
                  height={height}
                  className={look}
                  fill="currentColor"
                />
              ))}
            </g>
          ))}
        </svg>
      </div>
      <p aria-hidden="true" dir="ltr" className="mt-1 flex justify-between text-12 text-ink-3 tabular-nums">
        {marksOf(days).map((day) => (
          <bdi key={day}>{dayText(day)}</bdi>
        ))}
      </p>
    </figure>
  )
}

type Piece = { id: string; look: string; y: number; height: number }

function stackOf(series: ShownSeries[], day: number, top: number): Piece[] {
  const pieces: Piece[] = []
  let ground = HEIGHT
  for (const { id, daily, look } of series) {
    const amount = daily[day] ?? 0
    if (amount <= 0 || top <= 0) continue
    // Several bars at their least height may together stand higher than the drawing.
    const height = Math.min(ground, Math.max(MIN_BAR_HEIGHT, (amount / top) * HEIGHT))
    ground -= height
    pieces.push({ id, look, y: ground, height })
  }
  return pieces
}

function chartText(days: string[], totals: number[]): string {
  const highest = totals.indexOf(Math.max(...totals))
  return t('Daily spending from {first} to {last}, highest on {day}: {amount}.', {
    first: dayText(days[0]!),
    last: dayText(days.at(-1)!),
    day: dayText(days[highest]!),
    amount: formatExactDollars(totals[highest] ?? 0),
  })
}

function marksOf(days: string[]): string[] {
  if (days.length < 3) return days
  return [days[0]!, days[Math.floor((days.length - 1) / 2)]!, days.at(-1)!]
}

export const dayText = (day: string): string =>
  formatDate(new Date(`${day}T00:00:00Z`), { day: 'numeric', month: 'short', timeZone: 'UTC' })

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
