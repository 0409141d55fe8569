'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Lines, Nothing, RetryLine, Section } from '@/components/ui/section'
import { Head } from '@/components/ui/table-head'
import { type RateLimits, rateLimitsQuery } from '@/lib/browser/account-data'
import type { Session } from '@/lib/browser/session'
import { formatNumber, t } from '@/lib/i18n/t'

/** Models that are shown before more are asked for. */
const FIRST = 6

/** How much may be asked in a minute, by model; all keys of the account together. */
export function RateLimitsNow({ session }: { session: Session }) {
  const limits = useQuery(rateLimitsQuery(session.id))
  return (
    <Section title={t('Rate limits')}>
      {limits.isPending && <Lines count={3} query={limits} />}
      {limits.isError && limits.data === undefined && (
        <RetryLine text={t('The rate limits could not be loaded.')} onRetry={() => void limits.refetch()} />
      )}
      {limits.data && <Table limits={limits.data} />}
    </Section>
  )
}

function Table({ limits }: { limits: RateLimits }) {
  const [isAll, setIsAll] = useState(false)
  const rows = isAll ? limits.rateLimits : limits.rateLimits.slice(0, FIRST)
  const hidden = limits.rateLimits.length - rows.length
  return (
    <>
      <p className="mb-3 text-13 text-ink-2">
        {limits.accessPermitted
          ? t('Limits per model, shared by all your keys.')
          : t('Your credit is too low for new requests. Add credit to use these limits again.')}
      </p>
      {rows.length === 0 && <Nothing>{t('No models available.')}</Nothing>}
      {rows.length > 0 && (
        <table className="w-full border-collapse text-14">
          <thead className="text-12 text-ink-3">
            <tr>
              <Head>{t('Model')}</Head>
              <Head isEnd>{t('Requests per minute')}</Head>
              <Head isEnd>{t('Tokens per minute')}</Head>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ apiModelId, rateLimits }) => (
              <tr key={apiModelId} className="border-t border-line">
                <th scope="row" dir="ltr" className="py-2 pe-3 text-start font-mono text-13 font-normal wrap-anywhere">
                  {apiModelId}
                </th>
                <Amount of={rateLimits.find(({ type }) => type === 'RPM')?.amount} />
                <Amount of={rateLimits.find(({ type }) => type === 'TPM')?.amount} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {hidden > 0 && (
        <Button className="mt-3" onClick={() => setIsAll(true)}>
          {t('Show all {count} models', { count: limits.rateLimits.length })}
        </Button>
      )}
    </>
  )
}

const Amount = ({ of: amount }: { of: number | undefined }) => (
  <td className="py-2 ps-3 text-end font-mono text-13 tabular-nums">
    {amount === undefined ? '–' : formatNumber(amount)}
  </td>
)
