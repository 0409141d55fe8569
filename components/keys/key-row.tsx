'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { ConfirmRemoval } from '@/components/ui/confirm-removal'
import { When } from '@/components/ui/section'
import { Sentence } from '@/components/ui/sentence'
import { ACCOUNT_KEY, type AccountKey, revokeKey } from '@/lib/browser/account-data'
import { formatExactDiem, formatExactDollars } from '@/lib/browser/format/cost'
import { msg, t } from '@/lib/i18n/t'

const PERIODS = {
  EPOCH: msg('{spent} of {limit} today'),
  MONTH: msg('{spent} of {limit} this month'),
  LIFETIME: msg('{spent} of {limit} in total'),
} as const

const PRIVACY = { ALL: '', PRIVATE_TEXT: msg('private text models'), PRIVATE_ONLY: msg('private models') } as const

export function KeyRow({ row, onChange }: { row: AccountKey; onChange: () => void }) {
  const [isAsking, setIsAsking] = useState(false)
  const name = keyName(row)
  return (
    <li className="py-3.5 text-14">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-56 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span dir="auto" className="font-medium wrap-anywhere">
              {name}
            </span>
            <span
              className={`rounded-chip px-2 text-12 leading-5 ${row.apiKeyType === 'ADMIN' ? 'bg-ink text-paper' : 'border border-line text-ink-2'}`}
            >
              {row.apiKeyType === 'ADMIN' ? t('Admin') : t('Inference')}
            </span>
            <span dir="ltr" className="font-mono text-12 text-ink-3">
              …{row.last6Chars}
            </span>
          </p>
          <p className="mt-0.5 text-13 text-ink-3 tabular-nums">
            <Dates row={row} />
          </p>
          <p className="mt-0.5 text-13 text-ink-2 tabular-nums">{spendingOf(row).join(' · ')}</p>
        </div>
        {!isAsking && (
          <div className="flex gap-1">
            <Button kind="plain" aria-label={t('Change key {name}', { name })} onClick={onChange}>
              {t('Change')}
            </Button>
            <Button kind="plain" aria-label={t('Revoke key {name}', { name })} onClick={() => setIsAsking(true)}>
              {t('Revoke')}
            </Button>
          </div>
        )}
      </div>
      {isAsking && <Ending row={row} onKeep={() => setIsAsking(false)} />}
    </li>
  )
}

function Ending({ row, onKeep }: { row: AccountKey; onKeep: () => void }) {
  const client = useQueryClient()
  const name = keyName(row)
  return (
    <ConfirmRemoval
      question={t('Revoke key {name}?', { name })}
      label={t('Revoke key')}
      busyLabel={t('Revoking…')}
      doneText={t('Key {name} revoked', { name })}
      remove={() => revokeKey(row.id)}
      onRemoved={() => client.invalidateQueries({ queryKey: ACCOUNT_KEY })}
      onKeep={onKeep}
    >
      <p>
        {t(
          'Apps that use this key stop working at once: their requests are rejected with 401. You can’t undo this action.',
        )}
      </p>
      <p className="mt-1 text-13 text-ink-2 tabular-nums">
        {row.lastUsedAt === null ? (
          t('This key was never used.')
        ) : (
          <Sentence
            text="This key was last used <when/> and spent {amount} in the last 7 days."
            parts={{ when: () => <When at={row.lastUsedAt!} /> }}
            values={{ amount: sevenDays(row) }}
          />
        )}
        {row.apiKeyType === 'ADMIN' && ` ${t('Keys created with this key stay active.')}`}
      </p>
    </ConfirmRemoval>
  )
}

function Dates({ row: { createdAt, lastUsedAt, expiresAt } }: { row: AccountKey }) {
  const made = <Sentence text="created <when/>" parts={{ when: () => <When at={createdAt} /> }} />
  const used =
    lastUsedAt === null ? (
      t('never used')
    ) : (
      <Sentence text="last used <when/>" parts={{ when: () => <When at={lastUsedAt} /> }} />
    )
  const ends = expiresAt !== null && <Sentence text="expires <when/>" parts={{ when: () => <When at={expiresAt} /> }} />
  return (
    <>
      {made} · {used}
      {ends && <> · {ends}</>}
    </>
  )
}

function spendingOf(row: AccountKey): string[] {
  const { consumptionLimits: limits, currentPeriodUsage: used, limitPeriod, modelPrivacy } = row
  const caps = [
    limits.usd !== null &&
      t(PERIODS[limitPeriod], {
        spent: formatExactDollars(Number(used?.usd ?? 0)),
        limit: formatExactDollars(limits.usd),
      }),
    limits.diem !== null &&
      t(PERIODS[limitPeriod], { spent: formatExactDiem(Number(used?.diem ?? 0)), limit: `${limits.diem} DIEM` }),
  ].filter((part) => part !== false)
  const spent = caps.length > 0 ? caps : [t('no limit'), t('{amount} in the last 7 days', { amount: sevenDays(row) })]
  const privacy = PRIVACY[modelPrivacy]
  return privacy === '' ? spent : [...spent, t(privacy)]
}

function sevenDays({ usage: { trailingSevenDays: spent } }: AccountKey): string {
  const usd = formatExactDollars(Number(spent.usd))
  return Number(spent.diem) > 0 ? `${usd} + ${formatExactDiem(Number(spent.diem))} DIEM` : usd
}

export const keyName = ({ description, last6Chars }: Pick<AccountKey, 'description' | 'last6Chars'>): string =>
  description.trim() === '' ? t('Key …{end}', { end: last6Chars }) : description
