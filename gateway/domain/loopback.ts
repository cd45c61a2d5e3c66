/** Whether an address or name stands for this machine alone, so that nobody else reaches what listens there. */
export function isLoopback(host: string): boolean {
  return /^(localhost|\[?::1\]?|127(\.\d{1,3}){3})$/i.test(host);
}
