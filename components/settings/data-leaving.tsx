'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { Lock, LockOpen } from 'lucide-react'
import type { RefObject } from 'react'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { OVERLAY } from '@/components/ui/menu'
import { characterPrompt } from '@/lib/browser/characters'
import { chatRequest } from '@/lib/browser/chat-request'
import { useSetup } from '@/lib/browser/chat-setup'
import { useDraft } from '@/lib/browser/drafts'
import { formatSize } from '@/lib/browser/format/numbers'
import type { ModelCard } from '@/lib/browser/models'
import { loadThread } from '@/lib/browser/storage/chats'
import { databaseOf, db } from '@/lib/browser/storage/database'
import { type Attachment, type CharacterRef, type ChatSettings, NEW_CHAT } from '@/lib/browser/storage/records'
import { shownTurns, type Turn } from '@/lib/browser/storage/thread'
import { plural, t } from '@/lib/i18n/t'

type WhatLeavesProps = { chatId: string | null; model: ModelCard | undefined }

export function DataLeaving({ chatId, model }: WhatLeavesProps) {
  const [draft] = useDraft(chatId ?? NEW_CHAT)
  const { settings, character } = useSetup(chatId)
  const leaving = useLiveQuery(
    async () => (model ? leavingWith({ chatId, model, draft, settings, character }) : undefined),
    [chatId, model, draft, settings, character],
  )
  const usage = useLiveQuery(localStorageUsage, [])
  return (
    <div className="max-w-140 space-y-5 text-14">
      {model && <Tier model={model} />}
      <div>
        <h4 className="mb-1.5 font-medium">{t('With your next message')}</h4>
        {leaving ? <Parts leaving={leaving} /> : <div aria-hidden="true" className="skeleton h-20 w-full" />}
        <p className="mt-2 text-13 text-ink-3">
          {t(
            'Like any website, the service sees your IP address. It also sees which session pays for the message. It receives no name, no email address and nothing from your other chats.',
          )}{' '}
          {t('The language you choose is stored in a cookie and sent with every page.')}
        </p>
      </div>
      <div>
        <h4 className="mb-1.5 font-medium">{t('Stored in this browser')}</h4>
        <p className="text-ink-2">
          {t('Chats, drafts, files, your characters and settings.')}
          {usage && ` ${usageText(usage)}`}
        </p>
      </div>
      <div>
        <h4 className="mb-1.5 font-medium">{t('Stored by the service')}</h4>
        <p className="text-ink-2">
          {t(
            'Your balance, and the time, model, token counts and price of each charge, but no content. Chats shared by link are stored encrypted until the link expires. Only the link contains the key.',
          )}
        </p>
      </div>
    </div>
  )
}

const usageText = ({ chats, messages, files }: Awaited<ReturnType<typeof localStorageUsage>>): string =>
  t('Currently {chats} with {messages}, and {files}.', {
    chats: plural(chats, { one: '{count} chat', other: '{count} chats' }),
    messages: plural(messages, { one: '{count} message', other: '{count} messages' }),
    files: plural(files, { one: '{count} file', other: '{count} files' }),
  })

function Tier({ model }: { model: ModelCard }) {
  const isPrivate = model.privacy === 'private'
  const Icon = isPrivate ? Lock : LockOpen
  return (
    <div className="flex gap-3 rounded-card border border-line bg-surface p-3">
      <Icon
        aria-hidden="true"
        className={`mt-0.5 size-[18px] shrink-0 ${isPrivate ? 'text-ok' : 'text-ink-3'}`}
        strokeWidth={1.5}
      />
      <p className="min-w-0">
        <span className="font-medium">
          {isPrivate ? t('{model}: private', { model: model.name }) : t('{model}: anonymised', { model: model.name })}
        </span>
        <span className="block text-13 text-ink-2">
          {isPrivate
            ? t('Your data is used for the answer and not stored.')
            : t('Your data goes to the model’s provider without your identity. The provider may store the data.')}
        </span>
      </p>
    </div>
  )
}

function Parts({ leaving }: { leaving: Leaving }) {
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-1">
      {leaving.parts.map(({ name, bytes }) => (
        <div key={name} className="contents">
          <dt className="min-w-0 text-ink-2 wrap-anywhere">{name}</dt>
          <dd className="text-end font-mono text-13 tabular-nums">{formatSize(bytes)}</dd>
        </div>
      ))}
      <dt className="border-t border-line pt-1">{t('Total')}</dt>
      <dd className="border-t border-line pt-1 text-end font-mono text-13 tabular-nums">{formatSize(leaving.bytes)}</dd>
    </dl>
  )
}

type Leaving = { parts: { name: string; bytes: number }[]; bytes: number }

type NextQuestion = {
  chatId: string | null
  model: ModelCard
  draft: string
  settings: ChatSettings
  character: CharacterRef | undefined
}

/** Measures the request of the next message. Files count as base64: four thirds of their size. */
async function leavingWith({ chatId, model, draft, settings, character }: NextQuestion): Promise<Leaving> {
  const key = chatId ?? NEW_CHAT
  const [thread, usage, prompt] = await Promise.all([
    chatId ? loadThread(chatId) : undefined,
    databaseOf(key).draftFiles.get(key),
    character ? characterPrompt(character).catch(() => ({})) : undefined,
  ])
  const turns: Turn[] = thread ? shownTurns(thread) : []
  const attachments = usage?.attachments ?? []
  const body = await chatRequest(
    turns,
    { settings, ...(prompt && { character: prompt }) },
    model,
    { text: draft, attachments },
    asNothing,
  )
  const files = [...turns.flatMap((turn) => turn.attachments ?? []), ...attachments]
  const sizes = {
    question: sizeOf(draft),
    before: sizeOf(turns.map(({ text }) => text).join('')),
    system: sizeOf([settings.systemPrompt, prompt && 'systemPrompt' in prompt ? prompt.systemPrompt : ''].join('')),
    files: files.reduce((sum, file) => sum + encodedSize(file), 0),
  }
  const bytes = sizeOf(JSON.stringify(body)) + sizes.files
  const rest = Math.max(0, bytes - sizes.question - sizes.before - sizes.system - sizes.files)
  return {
    parts: [
      { name: t('Your message'), bytes: sizes.question },
      ...(turns.length > 0 ? [{ name: soFar(turns.length), bytes: sizes.before }] : []),
      ...(sizes.system > 0 ? [{ name: t('System prompt'), bytes: sizes.system }] : []),
      ...(character ? [{ name: t('Character: {name}', { name: character.name }), bytes: 0 }] : []),
      ...(files.length > 0 ? [{ name: filesName(files), bytes: sizes.files }] : []),
      { name: t('Model name and settings'), bytes: rest },
    ],
    bytes,
  }
}

const sizeOf = (text: string): number => new TextEncoder().encode(text).length

const asNothing = async (): Promise<string> => ''

const encodedSize = ({ size, mediaType }: Attachment): number =>
  Math.ceil(size / 3) * 4 + `data:${mediaType};base64,`.length

const soFar = (count: number): string =>
  plural(count, { one: 'Chat history: {count} message', other: 'Chat history: {count} messages' })

const filesName = (files: Attachment[]): string =>
  files.length === 1
    ? t('File with its name: {name}', { name: files[0]!.name })
    : plural(files.length, { one: '{count} file with its name', other: '{count} files with their names' })

type LocalStorageUsage = { chats: number; messages: number; characters: number; files: number; bytes: number }

export async function localStorageUsage(): Promise<LocalStorageUsage> {
  const [chats, messages, characters] = await Promise.all([
    db.conversations.filter(({ deletedAt }) => deletedAt === undefined).count(),
    db.messages.count(),
    db.characters.count(),
  ])
  let files = 0
  let bytes = 0
  await db.blobs.each(({ size }) => {
    files += 1
    bytes += size
  })
  return { chats, messages, characters, files, bytes }
}

type DataLeavingPanelProps = {
  chatId: string | null
  model: ModelCard
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
}

export function DataLeavingPanel({ chatId, model, ...place }: DataLeavingPanelProps) {
  return (
    <AnchoredPopover
      {...place}
      label={t('Data leaving this device')}
      align="start"
      className={`${OVERLAY} thin-scroll max-h-[min(36rem,80dvh)] w-[min(26rem,92vw)] overflow-y-auto p-4`}
    >
      <DataLeaving chatId={chatId} model={model} />
    </AnchoredPopover>
  )
}
