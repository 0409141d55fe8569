'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { localNetworks, overviewQuery } from '@/components/rpc/overview'
import { t } from '@/lib/i18n/t'

/** Where operators read how to connect nodes. */
const NODES_HELP = '/docs/guides/operating#configuration'

/** Says once that test chains on this machine stand in for networks, and how to connect real ones. */
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
