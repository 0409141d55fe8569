'use client'

import { useQuery } from '@tanstack/react-query'
import { nameOf } from '@/components/keys/key-row'
import { Lines, Nothing, RetryLine, Section, When } from '@/components/ui/section'
import { type AccountKey, type RefusedRequest, refusalsQuery } from '@/lib/browser/account-data'
import type { Session } from '@/lib/browser/session'
import { msg, t } from '@/lib/i18n/t'

const REASONS: Readonly<Record<string, string>> = {
  RPM: msg('too many requests per minute'),
  RPD: msg('too many requests per day'),
  TPM: msg('too many tokens per minute'),
  FAILED_REQUESTS: msg('too many failed requests'),
}

/** What was refused with 429, newest first. */
export function Refusals({ session, keys }: { session: Session; keys: AccountKey[] }) {
  const refusals = useQuery(refusalsQuery(session.id))
  return (
    <Section title={t('Recent rejections')}>
      {refusals.isPending && <Lines count={2} query={refusals} />}
      {refusals.isError && refusals.data === undefined && (
        <RetryLine text={t('The rejections could not be loaded.')} onRetry={() => void refusals.refetch()} />
      )}
      {refusals.data?.length === 0 && (
        <Nothing>{t('No rejected requests. Requests over a limit appear here.')}</Nothing>
      )}
      {refusals.data && refusals.data.length > 0 && (
        <ul className="thin-scroll max-h-80 divide-y divide-line overflow-y-auto">
          {refusals.data.map((row) => (
            <Row key={`${row.timestamp} ${row.apiKeyId} ${row.modelId} ${row.rateLimitType}`} row={row} keys={keys} />
          ))}
        </ul>
      )}
    </Section>
  )
}

function Row({ row, keys }: { row: RefusedRequest; keys: AccountKey[] }) {
  const key = keys.find(({ id }) => id === row.apiKeyId)
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 py-2 text-14">
      <span className="min-w-0">
        <span dir="ltr" className="font-mono text-13 wrap-anywhere">
          {row.modelId.replace(/^endpoint:/, '/')}
        </span>{' '}
        <span className="text-ink-2">{t(REASONS[row.rateLimitType] ?? row.rateLimitType)}</span>
      </span>
      <span className="text-13 text-ink-3 tabular-nums">
        {whoOf(row, key)} · <When at={row.timestamp} />
      </span>
    </li>
  )
}

function whoOf({ apiKeyId }: RefusedRequest, key: AccountKey | undefined): string {
  if (key) return nameOf(key)
  return apiKeyId === null ? t('no key') : t('inactive key')
}
