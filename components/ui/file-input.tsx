import type { ComponentProps } from 'react'

type FileInputProps = Omit<ComponentProps<'input'>, 'type' | 'onChange'> & {
  onFiles: (files: [File, ...File[]]) => void
}

export function FileInput({ onFiles, ...input }: FileInputProps) {
  return (
    <input
      {...input}
      type="file"
      onChange={({ target }) => {
        const [first, ...others] = target.files ?? []
        target.value = ''
        if (first) onFiles([first, ...others])
      }}
    />
  )
}
