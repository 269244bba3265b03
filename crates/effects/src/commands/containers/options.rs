//! The options of docker and its kin. A catalogue.

pub(super) const GLOBAL: &str = "config= c,context= D,debug H,host= l,log-level= tls tlscacert= tlscert= tlskey= tlsverify \
    n,namespace= a,address= root= runroot= storage-driver= storage-opt= connection= url= identity= module= r,remote \
    cgroup-manager= conmon= events-backend= hooks-dir= imagestore= network-cmd-path= runtime= tmpdir= v,version help";

/// Options of `run` and `create`.
pub(super) const RUN: &str = "add-host= annotation= a,attach= blkio-weight= blkio-weight-device= cap-add= cap-drop= cgroup-parent= \
    cgroupns= cidfile= cpu-period= cpu-quota= cpu-rt-period= cpu-rt-runtime= c,cpu-shares= cpus= cpuset-cpus= \
    cpuset-mems= d,detach detach-keys= device= device-cgroup-rule= device-read-bps= device-read-iops= \
    device-write-bps= device-write-iops= disable-content-trust dns= dns-option= dns-search= domainname= entrypoint= \
    e,env= env-file= expose= gpus= group-add= health-cmd= health-interval= health-retries= health-start-period= \
    health-timeout= help h,hostname= init i,interactive ip= ip6= ipc= isolation= kernel-memory= l,label= label-file= \
    link= link-local-ip= log-driver= log-opt= mac-address= m,memory= memory-reservation= memory-swap= \
    memory-swappiness= mount= name= network,net= network-alias,net-alias= no-healthcheck oom-kill-disable \
    oom-score-adj= pid= pids-limit= platform= privileged p,publish= P,publish-all pull= q,quiet read-only restart= rm \
    runtime= security-opt= shm-size= sig-proxy stop-signal= stop-timeout= storage-opt= sysctl= tmpfs= t,tty ulimit= \
    u,user= userns= uts= v,volume= volume-driver= volumes-from= w,workdir= pod= secret= systemd= replace tz= \
    requires= umask= http-proxy rootfs hooks-dir= arch= os= variant= authfile= env-host env-merge= preserve-fds= \
    timeout= unsetenv= passwd-entry= hostuser= image-volume= init-path= no-hosts no-hostname tls-verify \
    cpu-count= cpu-percent= health-start-interval= io-maxbandwidth= io-maxiops= use-api-socket";

pub(super) const EXEC: &str = "d,detach detach-keys= e,env= env-file= i,interactive privileged t,tty u,user= w,workdir= l,latest preserve-fds=";

pub(super) const COMPOSE: &str = "all-resources ansi= compatibility dry-run env-file= f,file= parallel= profile= progress= \
    project-directory= p,project-name= verbose v,version help c,context= H,host=";

pub(super) const COMPOSE_RUN: &str = "build cap-add= cap-drop= d,detach entrypoint= e,env= env-from-file= i,interactive l,label= \
    name= T,no-TTY no-deps p,publish= pull= q,quiet quiet-pull quiet-build remove-orphans rm P,service-ports use-aliases u,user= \
    v,volume= w,workdir= index= privileged t,tty";
