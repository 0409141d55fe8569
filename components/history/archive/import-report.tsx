'use client'

import type { ImportReport } from '@/components/history/archive/import'
import { plural, t } from '@/lib/i18n/t'

/** What was taken of a file, and what was not. */
export function ImportReportView({ report }: { report: ImportReport }) {
  const { added, known, messages, attached, refused, leftOut, files, isCut } = report
  return (
    <div role="status" className="mt-3 rounded-card border border-line p-3 text-13">
      <p className="font-medium">
        {messages > 0
          ? t('{chats}, with {messages}', { chats: newWords(added), messages: messageWords(messages) })
          : newWords(added)}
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
          <li key={what}>{leftOutWords(what, count)}</li>
        ))}
      </ul>
      {files.length > 1 && (
        <details className="pt-2">
          <summary className="text-ink-2">
            {plural(files.length, { one: '{count} file', other: '{count} files' })}
          </summary>
          <ul className="thin-scroll max-h-40 overflow-y-auto pt-1 text-12 text-ink-2">
            {files.map(({ name, isTaken, chats, why }) => (
              <li key={name} className="wrap-anywhere">
                {name}: {isTaken ? takenWords(chats) : t(why ?? '')}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

const newWords = (count: number): string =>
  plural(count, { one: '{count} chat imported', other: '{count} chats imported' })

const messageWords = (count: number): string => plural(count, { one: '{count} message', other: '{count} messages' })

const takenWords = (count: number): string =>
  count === 0 ? t('imported') : plural(count, { one: '{count} chat', other: '{count} chats' })

/** `what` is said by the worker that reads the file, which has no language. */
function leftOutWords(what: string, count: number): string {
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
