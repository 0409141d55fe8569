'use client'

import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { AccountPage, NeedsWallet } from '@/components/common/account-page'
import { KeyRow, keyName } from '@/components/keys/key-row'
import { Button } from '@/components/ui/button'
import { Head, Lines, Nothing, RetryLine, Section, When } from '@/components/ui/section'
import { type AccountKey, keysQuery, rateLimitsQuery, refusalsQuery } from '@/lib/browser/account-data'
import { failureOf } from '@/lib/browser/failure'
import type { RateLimitLog, RateLimits } from '@/lib/contract/keys.schema'
import type { Session } from '@/lib/contract/session'
import { formatNumber, msg, t } from '@/lib/i18n/t'

const KeySheet = dynamic(() => import('@/components/keys/key-sheet').then((module) => module.KeySheet), { ssr: false })

export function KeysPage() {
  return (
    <AccountPage
      title={t('API keys')}
      width="max-w-180"
      loading={(query) => <Lines count={4} query={query} />}
      failed={t('Your keys could not be loaded.')}
      signedOut={
        <NeedsWallet
          title={t('One API key per app.')}
          text={t('Sign in to create API keys, each with its own limit and expiry. Signing in is free.')}
        />
      }
    >
      {(session) => <Everything session={session} />}
    </AccountPage>
  )
}

type Opened = 'new' | AccountKey

function Everything({ session }: { session: Session }) {
  const keys = useQuery(keysQuery(session.id))
  const [opened, setOpened] = useState<Opened>()
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
        <p className="max-w-100 text-14 text-ink-2">
          {t('API keys let apps spend your credit. Use one key per app so you can revoke it alone.')}
        </p>
        <Button kind="primary" className="min-h-11 px-5" onClick={() => setOpened('new')}>
          {t('New key')}
        </Button>
      </div>
      <section aria-label={t('Your keys')} className="mt-6 border-t border-line pt-1">
        {keys.isPending && <Lines count={4} query={keys} />}
        {keys.isError && keys.data === undefined && (
          <div className="pt-3">
            <RetryLine
              text={t('Your keys could not be loaded. {why}', { why: failureOf(keys.error).message })}
              onRetry={() => void keys.refetch()}
            />
          </div>
        )}
        {keys.data?.length === 0 && (
          <div className="py-4">
            <Nothing>{t('No API keys yet.')}</Nothing>
          </div>
        )}
        {keys.data && keys.data.length > 0 && (
          <ul className="divide-y divide-line">
            {keys.data.map((key) => (
              <KeyRow key={key.id} row={key} onChange={() => setOpened(key)} />
            ))}
          </ul>
        )}
      </section>
      <RateLimitsNow session={session} />
      <Refusals session={session} keys={keys.data ?? []} />
      {opened && <KeySheet {...(opened !== 'new' && { row: opened })} onClose={() => setOpened(undefined)} />}
    </>
  )
}

const REASONS: Readonly<Record<string, string>> = {
  RPM: msg('too many requests per minute'),
  RPD: msg('too many requests per day'),
  TPM: msg('too many tokens per minute'),
  FAILED_REQUESTS: msg('too many failed requests'),
}

type Refusal = RateLimitLog['data'][number]

function Refusals({ session, keys }: { session: Session; keys: AccountKey[] }) {
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

function Row({ row, keys }: { row: Refusal; keys: AccountKey[] }) {
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

function whoOf({ apiKeyId }: Refusal, key: AccountKey | undefined): string {
  if (key) return keyName(key)
  return apiKeyId === null ? t('no key') : t('inactive key')
}

const FIRST = 6

function RateLimitsNow({ session }: { session: Session }) {
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

function Table({ limits }: { limits: RateLimits['data'] }) {
  const [isAll, setIsAll] = useState(false)
  const rows = isAll ? limits.rateLimits : limits.rateLimits.slice(0, FIRST)
  const hidden = limits.rateLimits.length - rows.length
  return (
    <>
      <p className="mb-3 text-13 text-ink-2">
        {limits.accessPermitted
          ? t('Limits per model, shared by all your keys.')
          : t('Your credit is too low for new requests. Add credit to send requests again.')}
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
