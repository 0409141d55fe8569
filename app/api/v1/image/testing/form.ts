export type FormFiles = [name: string, bytes: Uint8Array, fileName?: string][]

/** A form as the body of a call, with its header. */
export async function formCall(files: FormFiles, fields: Record<string, string> = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const [name, bytes, fileName = 'a.png'] of files) form.append(name, new File([new Uint8Array(bytes)], fileName))
  const encoded = new Response(form)
  return { raw: await encoded.arrayBuffer(), headers: { 'content-type': encoded.headers.get('content-type') ?? '' } }
}
