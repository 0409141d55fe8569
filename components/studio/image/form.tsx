'use client'

import { Eraser } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import {
  MoreForEdit,
  MoreForGenerate,
  QualityField,
  StyleField,
  VariantsField,
} from '@/components/studio/image/detail-fields'
import {
  changeImageDraft,
  changeImageSettings,
  FORM_TASKS,
  type FormTask,
  type ImageDraft,
} from '@/components/studio/image/draft'
import { SizeField } from '@/components/studio/image/size-field'
import { Choices, PromptField } from '@/components/studio/parts/fields'
import { FileWell } from '@/components/studio/parts/file-well'
import { ModelField } from '@/components/studio/parts/model-field'
import { IconButton } from '@/components/ui/button'
import type { CreationFile } from '@/lib/client/studio/creation'
import { type ImageModel, modelsFor } from '@/lib/client/studio/image-models'
import { enlargedSize } from '@/lib/client/studio/image-settings'
import { readPicture } from '@/lib/client/studio/read-picture'
import { msg, t } from '@/lib/i18n/t'

/** Fetched when something is first to be erased. */
const EraseSheet = dynamic(() => import('@/components/studio/image/erase-sheet').then((module) => module.EraseSheet), {
  ssr: false,
})

const TASK_LABEL: Readonly<Record<FormTask, string>> = {
  generate: msg('Create'),
  edit: msg('Edit'),
  upscale: msg('Enlarge'),
  'background-remove': msg('Cut out'),
}

const ACCEPT = 'image/png,image/jpeg,image/webp,image/gif,image/avif,image/heic,.heic,.heif'
export const PROMPT_ID = 'studio-prompt'

/** What can be made with these models, in the order of the form. */
export const tasksWith = (models: readonly ImageModel[]): FormTask[] =>
  FORM_TASKS.filter((task) => modelsFor(task, models).length > 0)

type ImageFormProps = {
  draft: ImageDraft
  task: FormTask
  models: readonly ImageModel[]
  model: ImageModel | undefined
  prompt: string
  onPrompt: (prompt: string) => void
}

/** What is to be made: as much of it as the chosen model has. */
export function ImageForm({ draft, task, models, model, prompt, onPrompt }: ImageFormProps) {
  const tasks = tasksWith(models)
  const able = modelsFor(task, models)
  return (
    <>
      {tasks.length > 1 && (
        <Choices
          label={t('What to do')}
          value={task}
          options={tasks.map((value) => ({ value, label: t(TASK_LABEL[value]) }))}
          onChange={(next) => changeImageDraft({ task: next })}
        />
      )}
      {!tasks.includes('generate') && <NoGenerator hasOthers={tasks.length > 0} />}
      {task !== 'generate' && tasks.includes(task) && <Pictures draft={draft} task={task} model={model} />}
      {(task === 'generate' || task === 'edit') && tasks.includes(task) && (
        <PromptField
          id={PROMPT_ID}
          label={task === 'generate' ? t('Prompt') : t('What to change')}
          placeholder={
            task === 'generate' ? t('A lagoon at dawn, mist over the reeds…') : t('Make the sky a storm at sunset…')
          }
          value={prompt}
          onChange={onPrompt}
          most={model?.mostChars ?? Number.POSITIVE_INFINITY}
        />
      )}
      {model && able.length > 0 && task !== 'background-remove' && (
        <ModelField
          models={able}
          value={model.id}
          onChange={(id) => changeImageDraft({ modelIds: { ...draft.modelIds, [task]: id } })}
        />
      )}
      {model && task === 'generate' && <GenerateFields draft={draft} model={model} />}
      {model && task === 'edit' && (
        <>
          <SizeField key={draft.filled} model={model} settings={draft.settings} isEdit />
          <QualityField model={model} settings={draft.settings} />
          <MoreForEdit settings={draft.settings} />
        </>
      )}
      {model && task === 'upscale' && <FactorField draft={draft} />}
    </>
  )
}

function GenerateFields({ draft: { settings, filled }, model }: { draft: ImageDraft; model: ImageModel }) {
  return (
    <>
      <SizeField key={filled} model={model} settings={settings} />
      <QualityField model={model} settings={settings} />
      <VariantsField settings={settings} />
      <StyleField settings={settings} />
      <MoreForGenerate model={model} settings={settings} filled={filled} />
    </>
  )
}

type PicturesProps = { draft: ImageDraft; task: FormTask; model: ImageModel | undefined }

/** The pictures that it begins with. */
function Pictures({ draft, task, model }: PicturesProps) {
  const [erasing, setErasing] = useState<CreationFile>()
  const most = task === 'edit' ? (model?.mostImages ?? 1) : 1
  const replace = (erased: CreationFile) => {
    const inputs = draft.inputs.map((file) => (file.id === erasing?.id ? erased : file))
    const erasedIds = [...draft.erasedIds, erased.id].filter((id) => inputs.some((file) => file.id === id))
    changeImageDraft({ inputs, erasedIds })
    setErasing(undefined)
  }
  return (
    <>
      <FileWell
        label={most > 1 ? t('Pictures, the first is the one that is changed') : t('Picture')}
        hint={t('PNG, JPEG, WebP, GIF, AVIF or HEIC, up to 25 MB')}
        files={draft.inputs}
        most={most}
        accept={ACCEPT}
        read={readPicture}
        onChange={(inputs) => changeImageDraft({ inputs })}
        extra={(file) =>
          task === 'edit' && (
            <IconButton label={t('Erase parts of {name}', { name: file.name })} onClick={() => setErasing(file)}>
              <Eraser aria-hidden="true" />
            </IconButton>
          )
        }
      />
      {task === 'edit' && draft.inputs.length > 0 && (
        <p className="-mt-3 text-12 text-ink-3">
          {t('Erase a part, and only that is filled anew, with what fits around it.')}
        </p>
      )}
      {erasing && <EraseSheet file={erasing} onErased={replace} onClose={() => setErasing(undefined)} />}
    </>
  )
}

function FactorField({ draft: { settings, inputs } }: { draft: ImageDraft }) {
  const factor = settings.factor ?? 2
  const [{ width, height } = {}] = inputs
  const size = width !== undefined && height !== undefined ? enlargedSize({ width, height }, factor) : undefined
  return (
    <div>
      <Choices
        label={t('How much larger')}
        value={String(factor)}
        options={[
          { value: '2', label: '2×' },
          { value: '4', label: '4×' },
        ]}
        onChange={(value) => changeImageSettings({ factor: value === '4' ? 4 : 2 })}
      />
      {size && width !== undefined && (
        <p className="mt-1 text-12 text-ink-3 tabular-nums">
          {size.width < Math.floor(width * factor)
            ? t('Comes out at {size}: larger is not possible.', { size: `${size.width} × ${size.height}` })
            : t('Comes out at {size}.', { size: `${size.width} × ${size.height}` })}
        </p>
      )}
    </div>
  )
}

/** The truth where no model makes pictures of words, and who could change it. */
function NoGenerator({ hasOthers }: { hasOthers: boolean }) {
  return (
    <div className="rounded-card border border-line bg-sunken px-3 py-2.5 text-13 text-ink-2">
      <p>
        {hasOthers
          ? t('This service has no model that makes pictures of words. What it can do with pictures is here.')
          : t('This service has no models for pictures.')}
      </p>
      <p className="mt-1">
        {t(
          'Its operator can connect one: a model of type image in the models file, served by an OpenAI-compatible server, Stable Diffusion WebUI or ComfyUI.',
        )}
      </p>
    </div>
  )
}
