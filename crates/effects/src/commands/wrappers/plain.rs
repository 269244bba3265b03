//! Wrappers that only prefix a command, by their manuals. A catalogue.

/// Wrappers that only prefix a command: options, and the number of operands before the command.
pub(super) const PLAIN: &[(&str, &str, usize)] = &[
    ("time", "a,append f,format= o,output= p,portability v,verbose q,quiet", 0),
    ("nohup", "", 0),
    ("nice", "n,adjustment= 0 1 2 3 4 5 6 7 8 9", 0),
    ("timeout", "f,foreground k,kill-after= p,preserve-status s,signal= v,verbose", 1),
    ("gtimeout", "f,foreground k,kill-after= p,preserve-status s,signal= v,verbose", 1),
    ("stdbuf", "i,input= o,output= e,error=", 0),
    ("setsid", "c,ctty f,fork w,wait", 0),
    ("ionice", "c,class= n,classdata= p,pid= P,pgid= t,ignore u,uid=", 0),
    (
        "chrt",
        "b,batch d,deadline f,fifo i,idle o,other r,rr R,reset-on-fork T,sched-runtime= P,sched-period= D,sched-deadline= a,all-tasks m,max p,pid v,verbose",
        1,
    ),
    ("taskset", "a,all-tasks p,pid c,cpu-list", 1),
    (
        "unshare",
        "i,ipc? m,mount? n,net? p,pid? u,uts? U,user? C,cgroup? T,time? f,fork map-user= map-group= map-auto map-users= map-groups= monotonic= boottime= r,map-root-user c,map-current-user kill-child? mount-proc? propagation= setgroups= R,root= w,wd= S,setuid= G,setgid= keep-caps",
        0,
    ),
    (
        "nsenter",
        "a,all t,target= m,mount? u,uts? i,ipc? n,net? p,pid? C,cgroup? U,user? T,time? S,setuid= G,setgid= preserve-credentials r,root? w,wd? W,wdns= F,no-fork Z,follow-context",
        0,
    ),
    (
        "prlimit",
        "p,pid= o,output= noheadings raw verbose c,core? d,data? e,nice? f,fsize? i,sigpending? l,memlock? m,rss? n,nofile? q,msgqueue? r,rtprio? s,stack? t,cpu? u,nproc? v,as? x,locks? y,rttime?",
        0,
    ),
    (
        "setarch",
        "B,32bit F,fdpic-funcptrs I,short-inode L,addr-compat-layout R,addr-no-randomize S,whole-seconds T,sticky-timeouts X,read-implies-exec Z,mmap-page-zero 3,3gb uname-2.6 v,verbose",
        1,
    ),
    ("linux32", "B R 3 v", 0),
    ("linux64", "B R 3 v", 0),
    (
        "setpriv",
        "d,dump nnp,no-new-privs ambient-caps= inh-caps= bounding-set= ruid= euid= reuid= rgid= egid= regid= clear-groups keep-groups init-groups groups= securebits= pdeathsig= selinux-label= apparmor-profile= reset-env",
        0,
    ),
    ("catchsegv", "", 0),
    (
        "strace",
        "a,columns= b,detach-on= c,summary-only C,summary D,daemonize? d,debug e= E,env= f,follow-forks F h,help \
         i,instruction-pointer I,interruptible= k,stack-trace? n,syscall-number o,output= O,summary-syscall-overhead= p,attach= \
         P,trace-path= q,quiet? r,relative-timestamps? s,string-limit= S,summary-sort-by= t T,syscall-times? u,user= \
         U,summary-columns= v,no-abbrev V,version w,summary-wall-clock x X,const-print-style= y z,successful-only \
         Z,failed-only A,output-append-mode output-separately seccomp-bpf trace= inject= fault= signal= status= abbrev= verbose= \
         raw= read= write= kvm= decode-fds? decode-pids= absolute-timestamps? argv0= tips? trace-fds= secontext? strings-in-hex? \
         stack-trace-frame-limit= namespace= quiet=",
        0,
    ),
    ("ltrace", "a= A= b c C d D= e= f F= g= h i l= L n= o= p= r s= S t T u= V w= x=", 0),
    (
        "valgrind",
        "q,quiet v,verbose tool= leak-check= log-file= xml= xml-file= error-exitcode= suppressions= track-origins= show-leak-kinds= num-callers= callgrind-out-file= trace-children=",
        0,
    ),
    ("perf", "e,event= a o,output= g F,freq= c,count= p,pid= r,repeat= d,detailed x= call-graph=", 1),
    (
        "systemd-run",
        "user system scope unit= u= p,property= description= slice= slice-inherit r,remain-after-exit send-sighup service-type= uid= gid= nice= working-directory= d,same-dir E,setenv= t,pty P,pipe q,quiet G,collect S,shell on-active= on-boot= on-startup= on-unit-active= on-unit-inactive= on-calendar= timer-property= path-property= socket-property= no-block wait no-ask-password H,host= M,machine=",
        0,
    ),
    ("systemd-inhibit", "what= who= why= mode= list no-pager no-legend", 0),
    ("dbus-run-session", "config-file= dbus-daemon=", 0),
    (
        "dbus-launch",
        "sh-syntax csh-syntax auto-syntax exit-with-session exit-with-x11 config-file= autolaunch= close-stderr",
        0,
    ),
    (
        "xvfb-run",
        "a,auto-servernum e,error-file= f,auth-file= l,listen-tcp n,server-num= p,xauth-protocol= s,server-args= w,wait= d",
        0,
    ),
    ("fakeroot", "l,lib= f,faked= s= i= u,unknown-is-real b=", 0),
    (
        "proot",
        "r,rootfs= b,bind= m,mount= q,qemu= w,pwd= cwd= k,kernel-release= 0,root-id i,change-id= S= R= kill-on-exit",
        0,
    ),
    ("firejail", "quiet noprofile private? net= whitelist= blacklist= read-only= profile= name=", 0),
    (
        "xcrun",
        "sdk= toolchain= v,verbose l,log f,find r,run n,no-cache k,kill-cache show-sdk-path show-sdk-version",
        0,
    ),
    ("caffeinate", "d i m s u t= w=", 0),
    (
        "rlwrap",
        "a? A? b= c C= d= D= e= f= g= h H= i I l= m? M= n N o O= p? P= q= r R s= S= t= T U v w= W? X z=",
        0,
    ),
    ("unbuffer", "p", 0),
    ("chpst", "v P 0 1 2 u= U= b= /= C= e= n= l= L= m= d= o= p= f= c=", 0),
    ("softlimit", "a= c= d= f= l= m= o= p= r= s= t=", 0),
    ("cgexec", "g= sticky", 0),
    (
        "numactl",
        "a,all i,interleave= p,preferred= w= m,membind= N,cpunodebind= C,physcpubind= l,localalloc b,balancing",
        0,
    ),
    ("eatmydata", "", 0),
    ("torsocks", "i,isolate u,user= p,pass= a,address= P,port= d,debug q,quiet shell on off", 0),
    ("proxychains", "q f=", 0),
    ("proxychains4", "q f=", 0),
    ("gosu", "", 1),
    ("su-exec", "", 1),
    ("tini", "s p= v w g e= l", 0),
    ("dumb-init", "c,single-child r,rewrite= v,verbose", 0),
    ("exec", "c l a=", 0),
    ("command", "p v V", 0),
    ("builtin", "", 0),
    ("noglob", "", 0),
    ("nocorrect", "", 0),
    ("screen", "a A c= d D e= f fa fn h= i l L m O p= q Q r R s= S= t= T= U v wipe x X", 0),
];
