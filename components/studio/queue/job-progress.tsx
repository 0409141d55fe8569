'use client'

import { useQuery } from '@tanstack/react-query'
import { Progress } from '@/components/studio/parts/progress'
import { cancel } from '@/components/studio/queue/cancel'
import { Button } from '@/components/ui/button'
import { shortAddress } from '@/lib/browser/format/address'
import { payerOf } from '@/lib/browser/new-request'
import { useIsOnline } from '@/lib/browser/offline'
import { sessionQuery } from '@/lib/browser/queries'
import type { Session } from '@/lib/browser/session-type'
import type { Generation } from '@/lib/browser/storage/generations'
import { openWallet } from '@/lib/browser/wallet-dialog'
import { t } from '@/lib/i18n/t'

/** How a job of the queue is getting on; why it is not asked after, where it is not. */
export function JobProgress({ creation }: { creation: Generation }) {
  const { job } = creation
  const isOnline = useIsOnline()
  const { data: session } = useQuery(sessionQuery())
  const stranger = job && strangerTo(job.payer, session)
  return (
    <>
      <Progress
        creation={creation}
        usualMs={job?.typicalMs}
        {...(job && !stranger && isOnline && { onCancel: () => void cancel(creation) })}
      />
      {stranger && (
        <Line text={stranger}>
          <Button onClick={() => void openWallet({ why: t('To get your result') })}>{t('Sign in')}</Button>
        </Line>
      )}
      {!isOnline && (
        <Line text={t('You’re offline. Generation continues; the result loads when you are back online.')} />
      )}
    </>
  )
}

function Line({ text, children }: { text: string; children?: React.ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 px-3 pb-2 text-13 text-ink-2">
      <p className="min-w-0 flex-1 basis-40">{text}</p>
      {children}
    </div>
  )
}

/** The service tells of a job whoever paid for it. Nothing while that is who is here, or nobody knows yet. */
function strangerTo(payer: string | undefined, session: Session | null | undefined): string | undefined {
  if (session === undefined) return undefined
  if (session === null) return t('You signed out. Generation continues. Sign in within a day to get the result.')
  if (payer === undefined || payerOf(session) === payer) return undefined
  return payer.startsWith('0x') || payer.length > 30
    ? t('This job belongs to {wallet}. Sign in with that wallet within a day to get the result.', {
        wallet: shortAddress(payer),
      })
    : t('This job belongs to an earlier session in this browser.')
}
