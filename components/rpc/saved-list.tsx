'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { useEffect, useState } from 'react'
import { Words } from '@/components/rpc/history-list'
import { listSaved, purgeSaved } from '@/components/rpc/saved'
import { SavedFile } from '@/components/rpc/saved-file'
import { FolderHead } from '@/components/rpc/saved-folder'
import { SavedRow } from '@/components/rpc/saved-row'
import { UNDO_MS } from '@/lib/browser/undo'
import { t } from '@/lib/i18n/t'

/** What was saved on this device, by collection, and the way in and out of a file. */
export function SavedList() {
  const saved = useLiveQuery(() => listSaved().catch(() => null))
  const [report, setReport] = useState<string[]>()
  useEffect(() => {
    // What was deleted in a tab that then closed is removed here.
    void purgeSaved(Date.now() - UNDO_MS).catch(() => undefined)
  }, [])
  if (saved === undefined) return null
  if (saved === null)
    return <Words>{t('Your browser blocks storage. Allow storage in site settings to save requests.')}</Words>
  const folders = Map.groupBy(saved, ({ folder }) => folder)
  const names = [...folders.keys()].filter(Boolean)
  return (
    <div className="flex h-full flex-col">
      <SavedFile saved={saved} report={report} onReport={setReport} />
      <section
        aria-label={t('Saved requests')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        className="thin-scroll min-h-0 flex-1 overflow-y-auto px-2 pb-3 outline-offset-[-2px]"
      >
        {saved.length === 0 && (
          <p className="px-2 pt-4 text-14 text-ink-3">
            {t('Saved requests appear here and stay on this device. Group them in collections.')}
          </p>
        )}
        {[...folders].map(([folder, calls]) => (
          <section key={folder} aria-label={folder || t('No collection')}>
            {folder ? <FolderHead folder={folder} calls={calls} /> : <div className="pt-2" />}
            <ul>
              {calls.map((call, index) => (
                <SavedRow
                  key={call.id}
                  call={call}
                  folders={names}
                  isFirst={index === 0}
                  isLast={index === calls.length - 1}
                />
              ))}
            </ul>
          </section>
        ))}
      </section>
    </div>
  )
}
