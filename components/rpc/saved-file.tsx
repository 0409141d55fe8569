'use client'

import { Download, Upload, X } from 'lucide-react'
import { useRef } from 'react'
import { addSaved, listSaved } from '@/components/rpc/saved'
import { MAX_FILE_BYTES, printFile, readFile } from '@/components/rpc/saved-requests-file'
import type { SavedCall } from '@/components/rpc/store'
import { Button, IconButton } from '@/components/ui/button'
import { FileInput } from '@/components/ui/file-input'
import { showToast } from '@/components/ui/toast'
import { plural, t } from '@/lib/i18n/t'

type SavedFileProps = {
  saved: readonly SavedCall[]
  /** What came of the last import, a line each. */
  report: string[] | undefined
  onReport: (report: string[] | undefined) => void
}

/** Takes what is saved to another device and back, as one file. */
export function SavedFile({ saved, report, onReport }: SavedFileProps) {
  const input = useRef<HTMLInputElement>(null)
  const take = async (file: File) => {
    try {
      onReport(await importFile(file))
    } catch (error) {
      onReport([error instanceof Error ? error.message : t('This file could not be read.')])
    }
  }
  return (
    <>
      <div className="flex shrink-0 items-center gap-1 border-b border-line px-2">
        <Button kind="plain" className="text-13" disabled={saved.length === 0} onClick={() => exportFile(saved)}>
          <Download aria-hidden="true" className="size-4" strokeWidth={1.5} />
          {t('Export')}
        </Button>
        <Button kind="plain" className="text-13" onClick={() => input.current?.click()}>
          <Upload aria-hidden="true" className="size-4" strokeWidth={1.5} />
          {t('Import')}
        </Button>
        <FileInput
          ref={input}
          accept="application/json,.json"
          aria-label={t('Saved requests file')}
          tabIndex={-1}
          className="sr-only"
          onFiles={([file]) => void take(file)}
        />
      </div>
      {report && (
        <div
          role="status"
          className="flex shrink-0 items-start gap-2 border-b border-line bg-sunken py-2 ps-4 pe-2 text-13"
        >
          <ul className="thin-scroll max-h-28 min-w-0 flex-1 space-y-0.5 overflow-y-auto py-1 wrap-anywhere">
            {report.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one report never change
              <li key={index} className={index === 0 ? 'font-medium' : 'text-ink-2'}>
                {line}
              </li>
            ))}
          </ul>
          <IconButton label={t('Close import report')} onClick={() => onReport(undefined)}>
            <X aria-hidden="true" />
          </IconButton>
        </div>
      )}
    </>
  )
}

function exportFile(saved: readonly SavedCall[]): void {
  const now = new Date()
  const { text, leftOut } = printFile(saved, now)
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `rpc-requests-${now.toISOString().slice(0, 10)}.json`
  link.click()
  // The download has its own hold on the bytes once it has begun.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
  showToast({
    text:
      leftOut === 0
        ? t('Exported')
        : plural(leftOut, {
            one: 'Exported, except {count} requests with signed transactions: anyone with the file could send them.',
            other: 'Exported, except {count} requests with signed transactions: anyone with the file could send them.',
          }),
  })
}

/** @throws Error, in words for people. */
async function importFile(file: File): Promise<string[]> {
  if (file.size > MAX_FILE_BYTES) throw new Error(t('This file is larger than 5 MB. Choose an exported requests file.'))
  const { calls, problems, moreProblems, known } = readFile(await file.text(), await listSaved())
  const added = await addSaved(calls).catch(() => {
    throw new Error(t('Your browser couldn’t save the requests. Free up space and try again.'))
  })
  const noRoom = calls.length - added
  return [
    known > 0
      ? plural(
          added,
          { one: '{count} added, {known} already saved.', other: '{count} added, {known} already saved.' },
          { known },
        )
      : plural(added, { one: '{count} added.', other: '{count} added.' }),
    ...(noRoom > 0
      ? [
          plural(noRoom, {
            one: '{count} skipped: no space for more saved requests.',
            other: '{count} skipped: no space for more saved requests.',
          }),
        ]
      : []),
    ...problems.map((problem) => t('Skipped. {problem}', { problem })),
    ...(moreProblems > 0
      ? [plural(moreProblems, { one: '{count} more was skipped.', other: '{count} more were skipped.' })]
      : []),
  ]
}
