'use client'

import { tasksWith } from '@/components/studio/image/form'
import type { ImageModel } from '@/components/studio/image/models'
import { workOn } from '@/components/studio/image/use-again'
import { removeCreation, saveAll } from '@/components/studio/parts/actions'
import { CardMenu } from '@/components/studio/parts/card-actions'
import { sendToChat } from '@/components/studio/parts/to-chat'
import { Item, Separator } from '@/components/ui/menu-parts'
import type { CreationFile, Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

type ImageMenuProps = { creation: Generation; files: readonly CreationFile[]; models: readonly ImageModel[] }

/** Everything else that can be done with a creation. Of several pictures each is worked on from the large view. */
export function ImageMenu({ creation, files, models }: ImageMenuProps) {
  const [file] = files
  const tasks = tasksWith(models)
  const isOne = files.length === 1
  return (
    <CardMenu>
      {isOne && file && (
        <>
          {tasks.includes('edit') && <Item onPick={() => workOn(file, 'edit')}>{t('Edit image')}</Item>}
          {tasks.includes('upscale') && <Item onPick={() => workOn(file, 'upscale')}>{t('Upscale image')}</Item>}
          {tasks.includes('background-remove') && (
            <Item onPick={() => workOn(file, 'background-remove')}>{t('Remove background')}</Item>
          )}
          <Item onPick={() => void sendToChat(file)}>{t('Ask in a new chat')}</Item>
        </>
      )}
      {files.length > 0 && (
        <>
          <Item onPick={() => void saveAll(creation)}>{t('Download with settings')}</Item>
          <Separator />
        </>
      )}
      <Item isDanger onPick={() => void removeCreation(creation)}>
        {t('Delete')}
      </Item>
    </CardMenu>
  )
}
