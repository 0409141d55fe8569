'use client'

import { type DragEvent, useRef, useState } from 'react'
import { FIELD } from '@/components/history/archive/backup-part'
import type { ImportReport } from '@/components/history/archive/import'
import { ImportReportView } from '@/components/history/archive/import-report'
import { JobBar } from '@/components/history/archive/job-bar'
import { useJob } from '@/components/history/archive/use-job'
import { Button } from '@/components/ui/button'
import { FileInput } from '@/components/ui/file-input'
import { t } from '@/lib/i18n/t'

/** Takes chats from a file of ours or of another service. */
export function ImportPart({ onBusy }: { onBusy: (isBusy: boolean) => void }) {
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
          'A backup or export of this app, ChatGPT or Claude, as a ZIP or JSON file. The file is read on this device. Duplicates are skipped.',
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
