'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { Download, Ellipsis, Pencil, Trash2, Upload, X } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useEffect, useRef, useState } from 'react'
import { ListMessage } from '@/components/rpc/history-list'
import { fullName } from '@/components/rpc/networks'
import { openRequest } from '@/components/rpc/request-draft'
import { cleanName, MAX_FILE_BYTES, printFile, readFile } from '@/components/rpc/saved-requests-file'
import {
  addSaved,
  deleteSaved,
  listSaved,
  MAX_FOLDER_CHARS,
  MAX_NAME_CHARS,
  moveSaved,
  purgeSaved,
  renameFolder,
  renameSaved,
  restoreSaved,
  type SavedCall,
  shiftSaved,
} from '@/components/rpc/store'
import { Button, IconButton } from '@/components/ui/button'
import { FileInput } from '@/components/ui/file-input'
import { MENU } from '@/components/ui/menu'
import { Item, Separator } from '@/components/ui/menu-parts'
import { NameField } from '@/components/ui/name-field'
import { showToast } from '@/components/ui/toast'
import { saveFile } from '@/lib/browser/save-file'
import { UNDO_MS } from '@/lib/browser/storage/records'
import { networkOf } from '@/lib/contract/rpc-networks'
import { plural, t } from '@/lib/i18n/t'

const PURGE_SLACK_MS = 500

export function SavedList() {
  const saved = useLiveQuery(() => listSaved().catch(() => null))
  const [report, setReport] = useState<string[]>()
  useEffect(() => {
    // What was deleted in a tab that then closed is removed here.
    void purgeSaved(Date.now() - UNDO_MS).catch(() => undefined)
  }, [])
  if (saved === undefined) return null
  if (saved === null)
    return <ListMessage text={t('Your browser blocks storage. Allow storage in site settings to save requests.')} />
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
          <ListMessage text={t('Saved requests appear here and stay on this device. Group them in collections.')} />
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

type FolderHeadProps = { folder: string; calls: readonly SavedCall[] }

function FolderHead({ folder, calls }: FolderHeadProps) {
  const [isRenaming, setIsRenaming] = useState(false)
  if (isRenaming) {
    return (
      <div className="pt-2">
        <NameField
          label={t('Collection name')}
          name={folder}
          maxChars={MAX_FOLDER_CHARS}
          onDone={(name) => {
            setIsRenaming(false)
            const clean = cleanName(name, MAX_FOLDER_CHARS)
            if (clean) void renameFolder(folder, clean)
          }}
        />
      </div>
    )
  }
  const removed = plural(calls.length, {
    one: 'Collection deleted with its request',
    other: 'Collection deleted with {count} requests',
  })
  return (
    <div className="group/head flex items-center pt-1">
      <h3 dir="auto" className="min-w-0 flex-1 truncate ps-2 text-12 font-medium text-ink-3">
        {folder}
      </h3>
      <IconButton label={t('Rename {name}', { name: folder })} onClick={() => setIsRenaming(true)} className={QUIET}>
        <Pencil aria-hidden="true" />
      </IconButton>
      <IconButton
        label={t('Delete {name}', { name: folder })}
        onClick={() => void removeSaved(calls, removed)}
        className={QUIET}
      >
        <Trash2 aria-hidden="true" />
      </IconButton>
    </div>
  )
}

const QUIET =
  'opacity-0 group-hover/head:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100 [&>svg]:size-4'

type SavedRowProps = { call: SavedCall; folders: readonly string[]; isFirst: boolean; isLast: boolean }

function SavedRow({ call, folders, isFirst, isLast }: SavedRowProps) {
  const [edited, setEdited] = useState<'name' | 'folder'>()
  if (edited) {
    const isName = edited === 'name'
    const done = (text?: string) => {
      setEdited(undefined)
      const clean = cleanName(text, isName ? MAX_NAME_CHARS : MAX_FOLDER_CHARS)
      if (clean) void (isName ? renameSaved(call.id, clean) : moveSaved(call.id, clean))
    }
    return (
      <li>
        <NameField
          label={isName ? t('Request name') : t('New collection name')}
          name={isName ? call.name : ''}
          maxChars={isName ? MAX_NAME_CHARS : MAX_FOLDER_CHARS}
          onDone={done}
        />
      </li>
    )
  }
  const network = networkOf(call.network)
  return (
    <li className="group relative flex items-center rounded-control hover:bg-hover focus-within:bg-hover">
      <button
        type="button"
        onClick={() => openSaved(call)}
        className="min-w-0 flex-1 rounded-control py-1.5 ps-2 pe-1 text-start pointer-coarse:py-2.5"
      >
        <span dir="auto" className="block truncate text-14">
          {call.name}
        </span>
        <span className="block truncate text-12 text-ink-3">
          {network && fullName(network)}
          {call.calls[0]?.method !== call.name && (
            <>
              {' · '}
              <span dir="ltr" className="font-mono">
                {call.calls[0]?.method}
              </span>
            </>
          )}
          {call.calls.length > 1 &&
            ` + ${plural(call.calls.length - 1, { one: '{count} more', other: '{count} more' })}`}
        </span>
      </button>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger
          aria-label={t('More actions for {name}', { name: call.name })}
          className="inline-flex size-9 shrink-0 items-center justify-center rounded-control text-ink-3 opacity-0 group-hover:opacity-100 focus-visible:opacity-100 data-[state=open]:opacity-100 hover:text-ink pointer-coarse:size-11 pointer-coarse:opacity-100"
        >
          <Ellipsis aria-hidden="true" className="size-4" strokeWidth={1.5} />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="end"
            sideOffset={2}
            className={`${MENU} max-w-74`}
            onCloseAutoFocus={(event) => edited && event.preventDefault()}
          >
            <Item onPick={() => setEdited('name')}>{t('Rename')}</Item>
            <Item isDisabled={isFirst} onPick={() => void shiftSaved(call.id, -1)}>
              {t('Move up')}
            </Item>
            <Item isDisabled={isLast} onPick={() => void shiftSaved(call.id, 1)}>
              {t('Move down')}
            </Item>
            <Separator />
            {folders
              .filter((folder) => folder !== call.folder)
              .map((folder) => (
                <Item key={folder} onPick={() => void moveSaved(call.id, folder)}>
                  <span className="truncate">{t('Move to {name}', { name: folder })}</span>
                </Item>
              ))}
            <Item onPick={() => setEdited('folder')}>{t('Move to new collection')}</Item>
            {call.folder && <Item onPick={() => void moveSaved(call.id, '')}>{t('Remove from collection')}</Item>}
            <Separator />
            <Item isDanger onPick={() => void removeSaved([call], t('Request deleted'))}>
              {t('Delete')}
            </Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
    </li>
  )
}

function openSaved({ network: slug, calls, isBatch }: SavedCall): void {
  const network = networkOf(slug)
  if (network) openRequest(network, calls, isBatch)
}

/** Deletes requests at once and offers undo; what is not restored is removed for good. */
async function removeSaved(calls: readonly SavedCall[], text: string): Promise<void> {
  const ids = calls.map(({ id }) => id)
  await deleteSaved(ids)
  setTimeout(() => void purgeSaved(Date.now() - UNDO_MS), UNDO_MS + PURGE_SLACK_MS)
  showToast({ text, lastsMs: UNDO_MS, action: { label: t('Undo'), run: () => void restoreSaved(ids) } })
}

type SavedFileProps = {
  saved: readonly SavedCall[]
  report: string[] | undefined
  onReport: (report: string[] | undefined) => void
}

function SavedFile({ saved, report, onReport }: SavedFileProps) {
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
  saveFile(`rpc-requests-${now.toISOString().slice(0, 10)}.json`, new Blob([text], { type: 'application/json' }))
  showToast({
    text:
      leftOut === 0
        ? t('Exported')
        : plural(leftOut, {
            one: 'Exported, except {count} request with a signed transaction: anyone with the file could send it.',
            other: 'Exported, except {count} requests with signed transactions: anyone with the file could send them.',
          }),
  })
}

/** @throws Error with a message for the person. */
async function importFile(file: File): Promise<string[]> {
  if (file.size > MAX_FILE_BYTES) throw new Error(t('This file is larger than 5 MB. Choose an exported requests file.'))
  const { calls, problems, moreProblems, known } = readFile(await file.text(), await listSaved())
  const added = await addSaved(calls).catch(() => {
    throw new Error(t('Your browser couldn’t save the requests. Free up space and try again.'))
  })
  const excess = calls.length - added
  const lines = [
    known > 0
      ? plural(
          added,
          { one: '{count} added, {known} already saved.', other: '{count} added, {known} already saved.' },
          { known },
        )
      : plural(added, { one: '{count} added.', other: '{count} added.' }),
    excess > 0 &&
      plural(excess, {
        one: '{count} skipped: no space for more saved requests.',
        other: '{count} skipped: no space for more saved requests.',
      }),
    ...problems.map((problem) => t('Skipped. {problem}', { problem })),
    moreProblems > 0 && plural(moreProblems, { one: '{count} more was skipped.', other: '{count} more were skipped.' }),
  ]
  return lines.filter((line) => line !== false)
}
