'use client'

import { useQuery } from '@tanstack/react-query'
import { type DragEvent, type FormEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react'
import type { ImportReport } from '@/components/history/archive/import'
import type { ArchiveAnswer, ArchiveJob } from '@/components/history/archive/work'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { FileInput } from '@/components/ui/file-input'
import { Sheet } from '@/components/ui/modal'
import { showToast } from '@/components/ui/toast'
import { goTo } from '@/lib/browser/commands'
import { formatSize } from '@/lib/browser/format/numbers'
import { usePreference } from '@/lib/browser/preferences'
import { saveFile } from '@/lib/browser/save-file'
import { SETTINGS, settingHref } from '@/lib/browser/settings-entries'
import { keepStorage, storageState } from '@/lib/browser/storage/persistence'
import { isVaultOn } from '@/lib/browser/vault/flag'
import { msg, plural, t } from '@/lib/i18n/t'

export function ArchiveSheet({ onClose }: { onClose: () => void }) {
  const [isBusy, setIsBusy] = useState(false)
  return (
    <Sheet isOpen onClose={onClose} title={t('Import and export')} isHeld={isBusy}>
      <p className="pt-1 text-14 text-ink-2">
        {t('Your chats live only in this browser. Back them up so you don’t lose them.')}
      </p>
      <BackupPart onBusy={setIsBusy} />
      <ImportPart onBusy={setIsBusy} />
      <StoragePart />
      <WipePart onClose={onClose} />
    </Sheet>
  )
}

function StoragePart() {
  const state = useQuery({ queryKey: ['storage'], queryFn: storageState, staleTime: 0, gcTime: 0 })
  const { used, quota, isPersistent } = state.data ?? {}
  const keep = async () => {
    const isPersistent = await keepStorage()
    await state.refetch()
    if (!isPersistent) showToast({ text: t('The browser declined. Create a backup to be safe.') })
  }
  return (
    <section aria-label={t('Storage')} className="pt-6">
      <h3 className="font-medium">{t('Storage')}</h3>
      {used !== undefined && quota !== undefined && (
        <p className="pt-0.5 text-13 text-ink-2">
          {t('{used} of {most} used.', { used: formatSize(used), most: formatSize(quota) })}
        </p>
      )}
      {isPersistent === true && (
        <p className="pt-0.5 text-13 text-ink-2">{t('The browser won’t clear this data on its own.')}</p>
      )}
      {isPersistent === false && (
        <>
          <p className="pt-0.5 text-13 text-ink-2">{t('The browser may clear this data when space runs low.')}</p>
          <Button className="mt-2" onClick={() => void keep()}>
            {t('Ask browser to keep data')}
          </Button>
        </>
      )}
    </section>
  )
}

const { name, about, ...place } = SETTINGS.find(({ id }) => id === 'wipe')!
const HREF = settingHref(place)

function WipePart({ onClose }: { onClose: () => void }) {
  const go = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    onClose()
    // When the sheet is gone, and with it the focus that it gives back.
    requestAnimationFrame(showWipe)
  }
  return (
    <section aria-label={t(name)} className="pt-6">
      <a
        href={HREF}
        onClick={go}
        className="-mx-1 inline-flex min-h-9 items-center rounded-control px-1 font-medium text-danger underline underline-offset-3 pointer-coarse:min-h-11"
      >
        {t(name)}
      </a>
      <p className="text-13 text-ink-2">{t(about)}</p>
    </section>
  )
}

/** Opens the setting. On its own page only the hash changes, which the router does not follow. */
function showWipe(): void {
  const { pathname, hash } = new URL(HREF, window.location.origin)
  if (window.location.pathname === pathname) window.location.hash = hash
  else goTo(HREF)
}

function ImportPart({ onBusy }: { onBusy: (isBusy: boolean) => void }) {
  const { progress, run, stop } = useJob(onBusy)
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File>()
  const [asksPassword, setAsksPassword] = useState(false)
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [report, setReport] = useState<ImportReport>()
  const take = async (chosen: File, secret = '') => {
    setFile(chosen)
    setReport(undefined)
    setProblem(undefined)
    const outcome = await run({ kind: 'import', file: chosen, ...(secret && { password: secret }) })
    if (outcome.kind === 'imported') setReport(outcome.report)
    if (outcome.kind === 'stopped') setProblem(t('Stopped. Chats imported so far were saved.'))
    if (outcome.kind !== 'failed') return setAsksPassword(false)
    setProblem(outcome.needsPassword && !secret ? undefined : t(outcome.message))
    setAsksPassword(outcome.needsPassword)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    event.stopPropagation()
    const dropped = event.dataTransfer.files[0]
    if (dropped && !progress) void take(dropped)
  }
  return (
    <section aria-label={t('Import')} className="pt-6" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <h3 className="font-medium">{t('Import')}</h3>
      <p className="pt-0.5 text-13 text-ink-2">
        {t(
          'A backup or export from this app, ChatGPT or Claude, as a ZIP or JSON file. The file is read on this device. Duplicates are skipped.',
        )}
      </p>
      <FileInput
        ref={input}
        accept=".zip,.json,.age,.sealed,application/zip,application/json"
        aria-label={t('File to import')}
        className="sr-only"
        tabIndex={-1}
        onFiles={([chosen]) => void take(chosen)}
      />
      {progress ? (
        <JobBar label={t('Import')} progress={progress} onStop={stop} />
      ) : (
        <Button className="mt-3 w-full" onClick={() => input.current?.click()}>
          {t('Choose a file')}
        </Button>
      )}
      {asksPassword && file && !progress && (
        <form
          className="flex gap-2 pt-3"
          onSubmit={(event) => {
            event.preventDefault()
            void take(file, password)
          }}
        >
          <input
            type="password"
            aria-label={t('Backup password')}
            placeholder={t('Backup password')}
            autoComplete="off"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            className={FIELD}
          />
          <Button type="submit" disabled={!password}>
            {t('Open')}
          </Button>
        </form>
      )}
      {problem && (
        <p role="alert" className="pt-2 text-13 text-danger">
          {problem}
        </p>
      )}
      {report && <ImportReportView report={report} />}
    </section>
  )
}

function ImportReportView({ report }: { report: ImportReport }) {
  const { added, known, messages, attached, refused, leftOut, files, isCut } = report
  return (
    <div role="status" className="mt-3 rounded-card border border-line p-3 text-13">
      <p className="font-medium">
        {messages > 0
          ? t('{chats}, with {messages}', { chats: importedText(added), messages: messagesText(messages) })
          : importedText(added)}
      </p>
      <ul className="space-y-0.5 pt-1 text-ink-2">
        {isCut && <li>{t('Import stopped before the end of the file.')}</li>}
        {known > 0 && (
          <li>{plural(known, { one: '{count} duplicate chat skipped', other: '{count} duplicate chats skipped' })}</li>
        )}
        {attached > 0 && (
          <li>{plural(attached, { one: '{count} attachment imported', other: '{count} attachments imported' })}</li>
        )}
        {refused > 0 && (
          <li>
            {plural(refused, { one: '{count} record could not be read', other: '{count} records could not be read' })}
          </li>
        )}
        {leftOut.map(([what, count]) => (
          <li key={what}>{skippedText(what, count)}</li>
        ))}
      </ul>
      {files.length > 1 && (
        <details className="pt-2">
          <summary className="text-ink-2">
            {plural(files.length, { one: '{count} file', other: '{count} files' })}
          </summary>
          <ul className="thin-scroll max-h-40 overflow-y-auto pt-1 text-12 text-ink-2">
            {files.map(({ name, isImported, chats, why }) => (
              <li key={name} className="wrap-anywhere">
                {name}: {isImported ? fileText(chats) : t(why ?? '')}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

const importedText = (count: number): string =>
  plural(count, { one: '{count} chat imported', other: '{count} chats imported' })

const messagesText = (count: number): string => plural(count, { one: '{count} message', other: '{count} messages' })

const fileText = (count: number): string =>
  count === 0 ? t('imported') : plural(count, { one: '{count} chat', other: '{count} chats' })

/** `what` comes from a worker, which has no language. */
function skippedText(what: string, count: number): string {
  switch (what) {
    case 'steps of tools':
      return plural(count, { one: 'Skipped: {count} tool step', other: 'Skipped: {count} tool steps' })
    case 'files that cannot be read or sent':
      return plural(count, {
        one: 'Skipped: {count} file that cannot be read or sent',
        other: 'Skipped: {count} files that cannot be read or sent',
      })
    case 'files that are not in the export':
      return plural(count, {
        one: 'Skipped: {count} file missing from the export',
        other: 'Skipped: {count} files missing from the export',
      })
    default:
      return t('Skipped: {count} {what}', { count, what })
  }
}

const FIELD =
  'min-h-9 w-full rounded-control border border-control bg-surface px-2.5 text-14 pointer-coarse:min-h-11 pointer-coarse:text-16'

function BackupPart({ onBusy }: { onBusy: (isBusy: boolean) => void }) {
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

function ageText(since: number, now: number): string {
  const hours = Math.floor((now - since) / 3_600_000)
  if (hours < 1) return t('less than an hour ago')
  if (hours < 24) return plural(hours, { one: 'an hour ago', other: '{count} hours ago' })
  const days = Math.floor(hours / 24)
  return plural(days, { one: 'a day ago', other: '{count} days ago' })
}

type Progress = { done: number; of: number }

function useJob(onBusy: (isBusy: boolean) => void) {
  const [progress, setProgress] = useState<Progress>()
  const running = useRef<{ stop: () => void }>(undefined)
  useEffect(() => () => running.current?.stop(), [])
  const run = async (job: ArchiveJob): Promise<Outcome> => {
    setProgress({ done: 0, of: 1 })
    onBusy(true)
    announce(t('Started'))
    const { outcome, stop } = runArchiveJob(job, (done, of) => setProgress({ done, of }))
    running.current = { stop }
    const ended = await outcome
    running.current = undefined
    setProgress(undefined)
    onBusy(false)
    announce(ended.kind === 'failed' ? t(ended.message) : t('Finished'))
    return ended
  }
  return { progress, run, stop: () => running.current?.stop() }
}

type JobBarProps = { label: string; progress: Progress; onStop: () => void }

function JobBar({ label, progress, onStop }: JobBarProps) {
  return (
    <div className="flex items-center gap-3 pt-3">
      <progress
        aria-label={label}
        value={progress.done}
        max={Math.max(1, progress.of)}
        className="h-1.5 min-w-0 flex-1 accent-accent"
      />
      <Button kind="plain" onClick={onStop}>
        {t('Stop')}
      </Button>
    </div>
  )
}

type Outcome = Exclude<ArchiveAnswer, { kind: 'progress' }>

/** Runs a job in a worker. `stop` ends it at the next record; what was imported until then stays. */
function runArchiveJob(job: ArchiveJob, onProgress: (done: number, of: number) => void) {
  if (isVaultOn()) return runHere(job, onProgress)
  const worker = new Worker(new URL('./archive.worker.ts', import.meta.url), { type: 'module' })
  const outcome = new Promise<Outcome>((resolve) => {
    worker.addEventListener('message', ({ data }: MessageEvent<ArchiveAnswer>) => {
      if (data.kind === 'progress') return onProgress(data.done, data.of)
      resolve(data)
      worker.terminate()
    })
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      resolve({
        kind: 'failed',
        message: msg('The browser could not start the job. Reload the page and try again.'),
        needsPassword: false,
      })
      worker.terminate()
    })
  })
  worker.postMessage(job)
  return { outcome, stop: () => worker.postMessage({ kind: 'stop' }) }
}

/** Runs a job on the page: the chats of the vault are in its memory, where no worker reads them. */
function runHere(job: ArchiveJob, onProgress: (done: number, of: number) => void) {
  const controller = new AbortController()
  const outcome = new Promise<Outcome>((resolve, reject) => {
    const say = (answer: ArchiveAnswer) => {
      if (answer.kind === 'progress') onProgress(answer.done, answer.of)
      else resolve(answer)
    }
    Promise.all([import('@/components/history/archive/work'), import('@/lib/browser/storage/database')])
      .then(([{ doJob }, { db }]) => doJob(job, db, controller.signal, say))
      .catch(reject)
  })
  return { outcome, stop: () => controller.abort() }
}
