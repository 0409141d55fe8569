'use client'

import { type FormEvent, useId, useState } from 'react'
import { JobBar } from '@/components/history/archive/job-bar'
import { useJob } from '@/components/history/archive/use-job'
import { Button } from '@/components/ui/button'
import { usePreference } from '@/lib/browser/preferences'
import { saveFile } from '@/lib/browser/save-file'
import { plural, t } from '@/lib/i18n/t'

export const FIELD =
  'min-h-9 w-full rounded-control border border-control bg-surface px-2.5 text-14 pointer-coarse:min-h-11 pointer-coarse:text-16'

/** Saves everything to one file, under a password if wished. */
export function BackupPart({ onBusy }: { onBusy: (isBusy: boolean) => void }) {
  const { progress, run, stop } = useJob(onBusy)
  const [backupAt, setBackupAt] = usePreference('backupAt')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const hint = useId()
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setProblem(undefined)
    const outcome = await run({ kind: 'backup', ...(password && { password }) })
    if (outcome.kind === 'failed') return setProblem(t(outcome.message))
    if (outcome.kind !== 'saved') return
    const day = new Date().toISOString().slice(0, 10)
    saveFile(`lagoon-backup-${day}.zip${password && '.age'}`, outcome.file)
    setBackupAt(String(Date.now()))
    setPassword('')
  }
  const last = Number(backupAt)
  return (
    <section aria-label={t('Backup')} className="pt-5">
      <h3 className="font-medium">{t('Backup')}</h3>
      <p className="pt-0.5 text-13 text-ink-2">
        {last > 0 ? t('Last backup: {age}.', { age: ageText(last, Date.now()) }) : t('No backup yet.')}
      </p>
      <form onSubmit={(event) => void save(event)} className="pt-3">
        <input
          type="password"
          aria-label={t('Backup password (optional)')}
          aria-describedby={hint}
          placeholder={t('Password (optional)')}
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          className={FIELD}
        />
        <p id={hint} className="pt-1 text-12 text-ink-3">
          {password
            ? t('The backup can’t be opened without this password, and the password can’t be recovered.')
            : t('Without a password, anyone with the file can read your chats.')}
        </p>
        {progress ? (
          <JobBar label={t('Backup')} progress={progress} onStop={stop} />
        ) : (
          <Button type="submit" kind="primary" className="mt-3 w-full">
            {t('Create backup')}
          </Button>
        )}
      </form>
      {problem && (
        <p role="alert" className="pt-2 text-13 text-danger">
          {problem}
        </p>
      )}
    </section>
  )
}

/** How long ago, in whole days or hours. */
function ageText(since: number, now: number): string {
  const hours = Math.floor((now - since) / 3_600_000)
  if (hours < 1) return t('less than an hour ago')
  if (hours < 24) return plural(hours, { one: 'an hour ago', other: '{count} hours ago' })
  const days = Math.floor(hours / 24)
  return plural(days, { one: 'a day ago', other: '{count} days ago' })
}
