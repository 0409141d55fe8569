'use client'

import { useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import Link from 'next/link'
import type { ComponentProps } from 'react'
import { localNetworks, overviewQuery } from '@/components/rpc/networks'
import type { Tier } from '@/lib/contract/rpc-methods'
import { msg, t } from '@/lib/i18n/t'

const NODES_HELP = '/docs/guides/operating#configuration'

export function LocalNotice({ className }: { className: string }) {
  const { data } = useQuery(overviewQuery())
  const local = localNetworks(data)
  if (local === 'none') return null
  return (
    <p className={`rounded-control bg-sunken px-2.5 py-1.5 text-12 text-ink-2 ${className}`}>
      {local === 'all' ? t('Local test copies of each network.') : t('Networks marked “local” are test copies.')}{' '}
      <Link href={NODES_HELP} prefetch={false} className="whitespace-nowrap text-accent underline underline-offset-4">
        {t('Connect real nodes')}
      </Link>
    </p>
  )
}

const NAME: Record<Tier, string> = { 1: msg('Standard'), 2: msg('Advanced'), 4: msg('Large') }

type TierBadgeProps = { tier: Tier; isLong?: boolean }

export function TierBadge({ tier, isLong = false }: TierBadgeProps) {
  const name = t(NAME[tier])
  return (
    <span
      title={t('{tier}: {count}× the network’s base price', { tier: name, count: tier })}
      className={`shrink-0 text-12 whitespace-nowrap tabular-nums ${tier === 1 ? 'text-ink-3' : 'text-brass'}`}
    >
      {isLong ? `${name} ` : <span className="sr-only">{name} </span>}
      <span dir="ltr" className="font-mono">
        {tier}×
      </span>
    </span>
  )
}

export const TOOL =
  'inline-flex min-h-9 shrink-0 items-center gap-1.5 rounded-control px-2 text-13 font-medium text-ink-2 transition-colors hover:bg-hover hover:text-ink disabled:pointer-events-none disabled:opacity-55 aria-expanded:bg-hover pointer-coarse:min-h-11 [&>svg]:size-4 [&>svg]:stroke-[1.5]'

type SearchFieldProps = Omit<ComponentProps<'input'>, 'onChange'> & {
  label: string
  value: string
  onChange: (value: string) => void
}

export const SearchField = ({ label, onChange, className, ...props }: SearchFieldProps) => (
  <>
    <Search aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
      className={`min-h-9 min-w-0 flex-1 bg-transparent outline-none placeholder:text-ink-3 pointer-coarse:min-h-11 pointer-coarse:text-16 ${className}`}
      {...props}
    />
  </>
)

/** Shows a name or value of a chain: left to right in every language. */
export const Mono = ({ className = '', ...props }: ComponentProps<'span'>) => (
  <span dir="ltr" className={`font-mono ${className}`} {...props} />
)

export const Note = ({ text }: { text: string }) => <p className="p-4 text-14 text-ink-2">{text}</p>

const WIDTHS = ['w-1/3', 'w-3/4', 'w-1/2']

export const SkeletonLines = ({ className }: { className: string }) => (
  <div aria-hidden="true" className={className}>
    {WIDTHS.map((width) => (
      <div key={width} className={`skeleton h-3 ${width}`} />
    ))}
  </div>
)
