'use client'

import dynamic from 'next/dynamic'
import type { ReactNode } from 'react'
import { HistoryLoading, Reserved } from '@/components/common/placeholders'
import { type FilledSlots, SlotsContext } from '@/components/common/slots'
import { PaletteHost, provideNetworkSearch } from '@/components/palette/host'
import { Frame } from '@/components/shell/frame'
import { SHEET_OVERLAY } from '@/components/ui/part'
import { TopUpHost, WalletHost } from '@/components/wallet/hosts'
import { t } from '@/lib/i18n/t'

provideNetworkSearch(async () => (await import('@/components/rpc/palette-items')).rpcItems)

const SLOTS: FilledSlots = {
  PaletteHost,
  CharacterButton: dynamic(
    () => import('@/components/characters/chat-parts').then((module) => module.CharacterButton),
    { ssr: false, loading: () => <Reserved className="max-md:hidden" /> },
  ),
  CharacterByline: dynamic(
    () => import('@/components/characters/chat-parts').then((module) => module.CharacterByline),
    { ssr: false },
  ),
  CharacterChip: dynamic(() => import('@/components/characters/chat-parts').then((module) => module.CharacterChip), {
    ssr: false,
  }),
  CharacterDivider: dynamic(
    () => import('@/components/characters/chat-parts').then((module) => module.CharacterDivider),
    { ssr: false },
  ),
  CharacterPicker: dynamic(() => import('@/components/characters/picker').then((module) => module.CharacterPicker), {
    ssr: false,
  }),
  ConnectImageServer: dynamic(
    () => import('@/components/admin/connect-image-server').then((module) => module.ConnectImageServer),
    { ssr: false, loading: () => <div aria-hidden="true" className="skeleton h-44 rounded-card" /> },
  ),
  HistoryPanel: dynamic(() => import('@/components/history/panel').then((module) => module.HistoryPanel), {
    ssr: false,
    loading: () => <HistoryLoading />,
  }),
  DataLeavingButton: dynamic(
    () => import('@/components/settings/data-leaving-button').then((module) => module.DataLeavingButton),
    {
      ssr: false,
      loading: () => <Reserved className="max-sm:hidden" />,
    },
  ),
  LockButton: dynamic(() => import('@/components/vault/lock').then((module) => module.LockButton), {
    ssr: false,
  }),
  LockedList: dynamic(() => import('@/components/vault/lock').then((module) => module.LockedList), {
    ssr: false,
  }),
  LockScreen: dynamic(() => import('@/components/vault/lock').then((module) => module.LockScreen), {
    ssr: false,
  }),
  OpenFound: dynamic(() => import('@/components/rpc/snippets/open-in-rpc').then((module) => module.OpenFound), {
    ssr: false,
  }),
  OpenSnippet: dynamic(() => import('@/components/rpc/snippets/open-in-rpc').then((module) => module.OpenSnippet), {
    ssr: false,
  }),
  ShareSheet: dynamic(() => import('@/components/history/share-sheet').then((module) => module.ShareSheet), {
    ssr: false,
  }),
  ShortcutSheet: dynamic(() => import('@/components/settings/shortcut-sheet').then((module) => module.ShortcutSheet), {
    ssr: false,
    loading: () => <output aria-busy="true" aria-label={t('Loading')} className={SHEET_OVERLAY} />,
  }),
  SidebarSheet: dynamic(() => import('@/components/shell/sidebar-sheet').then((module) => module.SidebarSheet), {
    ssr: false,
  }),
  ToStudio: dynamic(() => import('@/components/studio/image/to-studio').then((module) => module.ToStudio), {
    ssr: false,
  }),
  VaultSetting: dynamic(() => import('@/components/vault/vault-setting').then((module) => module.VaultSetting), {
    ssr: false,
    loading: () => <div aria-hidden="true" className="skeleton mt-6 h-20 w-full" />,
  }),
}

const startIdle = async () => (await import('@/app/(screens)/idle-tasks')).startLater()

export default function ScreensLayout({ children }: { children: ReactNode }) {
  return (
    <SlotsContext value={SLOTS}>
      <Frame startIdle={startIdle}>
        {children}
        <WalletHost />
        <TopUpHost />
      </Frame>
    </SlotsContext>
  )
}
