declare module 'heic-decode' {
  type Decoded = { width: number; height: number; data: Uint8ClampedArray }
  type Picture = { width: number; height: number; decode(): Promise<Decoded> }

  const decoder: { all(options: { buffer: Uint8Array }): Promise<Picture[] & { dispose(): void }> }
  export default decoder
}
