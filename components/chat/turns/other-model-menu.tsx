'use client'

import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { MENU, MENU_ITEM } from '@/components/ui/menu'
import { formatPrice } from '@/lib/browser/format/cost'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

type OtherModelMenuProps = { models: ModelCard[]; onPick: (id: string) => void; children: ReactNode }

export function OtherModelMenu({ models, onPick, children }: OtherModelMenuProps) {
  return (
    <DropdownMenu.Root defaultOpen modal={false}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className={`${MENU} thin-scroll max-h-[min(28rem,var(--radix-dropdown-menu-content-available-height))] overflow-y-auto`}
        >
          {models.map((model) => (
            <DropdownMenu.Item
              key={model.id}
              className={`${MENU_ITEM} justify-between`}
              onSelect={() => onPick(model.id)}
            >
              {model.name}
              <span className="ps-4 font-mono text-12 text-ink-3">
                {model.price ? t('{price} out', { price: formatPrice(model.price.output) }) : t('free')}
              </span>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
