'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Monitor } from 'lucide-react'
import { useState } from 'react'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { Lines, RetryLine, Section, When } from '@/components/ui/section'
import { Sentence } from '@/components/ui/sentence'
import { type BrowserSession, revokeSession, sessionsQuery } from '@/components/wallet/wallet-data'
import { signOut } from '@/lib/browser/session'
import type { Session } from '@/lib/browser/session-type'
import { t } from '@/lib/i18n/t'

/** The browsers that are signed in as this wallet. */
export function Sessions({ session }: { session: Session }) {
  const sessions = useQuery(sessionsQuery(session.id))
  return (
    <Section title={t('Active sessions')}>
      {sessions.isPending && <Lines count={1} query={sessions} />}
      {sessions.isError && (
        <RetryLine text={t('Your sessions could not be loaded.')} onRetry={() => void sessions.refetch()} />
      )}
      {sessions.isSuccess && (
        <ul className="divide-y divide-line">
          {sessions.data.map((one) => (
            <SessionRow key={one.id} row={one} />
          ))}
        </ul>
      )}
    </Section>
  )
}

function SessionRow({ row }: { row: BrowserSession }) {
  const [isAsking, setIsAsking] = useState(false)
  const client = useQueryClient()
  const browser = browserWords(row.browser)
  const ending = useMutation({
    mutationFn: () => (row.isCurrent ? signOut(client) : revokeSession(row.id)),
    onSuccess: async () => {
      announce(t('Signed out'))
      if (!row.isCurrent) await client.invalidateQueries({ queryKey: ['wallet', 'sessions'] })
    },
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5 text-14">
      <Monitor aria-hidden="true" className="size-[18px] shrink-0 text-ink-3" strokeWidth={1.5} />
      <span className="min-w-0 flex-1">
        {browser}
        {row.isCurrent && <span className="ps-2 text-12 font-medium text-accent">{t('this browser')}</span>}
        <span className="block text-13 text-ink-3 tabular-nums">
          <Sentence
            text="signed in <since/> · expires <until/>"
            parts={{ since: () => <When at={row.createdAt} />, until: () => <When at={row.expiresAt} /> }}
          />
        </span>
        {ending.isError && <span className="block text-13 text-danger">{ending.error.message}</span>}
      </span>
      {isAsking ? (
        <fieldset aria-label={t('Sign out {browser}?', { browser })} className="flex gap-2">
          <Button kind="plain" disabled={ending.isPending} onClick={() => setIsAsking(false)}>
            {t('Cancel')}
          </Button>
          <Button className="text-danger" autoFocus disabled={ending.isPending} onClick={() => ending.mutate()}>
            {ending.isPending ? t('Signing out…') : t('Sign out now')}
          </Button>
        </fieldset>
      ) : (
        <Button kind="plain" aria-label={t('Sign out {browser}', { browser })} onClick={() => setIsAsking(true)}>
          {t('Sign out')}
        </Button>
      )}
    </li>
  )
}

/** The service keeps it in English: `Chrome on Linux`, or `Unknown browser`. */
function browserWords(kept: string): string {
  const [, browser, system] = /^(.+) on (.+)$/.exec(kept) ?? []
  if (browser && system) return t('{browser} on {system}', { browser: browserName(browser), system })
  return browserName(kept)
}

const browserName = (name: string): string => (name === 'Unknown browser' ? t('Unknown browser') : name)
