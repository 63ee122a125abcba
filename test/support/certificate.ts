import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from './find-binary.js';

export const findOpenssl = (): string | undefined => findBinary('openssl', 'OPENSSL');

/** A certificate for 127.0.0.1, signed by its own key. */
export const createCertificate = () => {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-certificate-'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const files = ['-keyout', key, '-out', certificate];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync(findOpenssl() ?? 'openssl', ['req', ...kind, '-days', '2', ...subject, ...files], {
    stdio: 'ignore',
  });
  return {
    key,
    certificate,
    pem: readFileSync(certificate, 'utf8'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
